#include "tests/support/planted_model.h"

#include <algorithm>
#include <string>

#include "skim/session.h"
#include "spec/cost.h"
#include "spec/params.h"
#include "tests/generated/planted.h"
#include "tests/generated/random.h"
#include "tests/support/draft_tensors.h"
#include "tests/support/planted_wiring.h"
#include "tests/support/random_draft.h"

namespace skim {
namespace {

ModelSpec spec_of(const PlantedModelOptions& options) {
  ModelSpec spec;
  spec.word_width = options.word_width;
  spec.reader.kind = options.kind;
  spec.reader.cell = options.cell;
  spec.reader.input = options.word_width;
  spec.reader.hidden = options.hidden;
  spec.reader.small = options.kind == ReaderKind::full ? std::vector<int>{} : options.small;
  spec.reader.small_sees = options.small_sees;
  spec.reader.decision = options.decision;
  spec.layers = options.layers;
  spec.bidirectional = options.bidirectional;
  spec.pooling = options.pooling;
  spec.weights = options.weights;
  spec.labels.assign(kPlantedLabels.begin(), kPlantedLabels.end());
  spec.vocabulary = std::max(options.vocabulary, static_cast<int>(planted_words().size()) + 1);
  return spec;
}

Result<void> check_room(const ModelSpec& spec) {
  const ReaderSpec& reader = spec.reader;
  if (reader.decision == Decision::dot) {
    return fail(Fault::argument, "the planted model cannot decide by a dot product");
  }
  if (spec.word_width < static_cast<int>(WordFeature::count)) {
    return fail(Fault::argument, "the planted model needs words of width " +
                                     std::to_string(WordFeature::count) + " or more");
  }
  const Units units(reader);
  if (reader.hidden < static_cast<int>(units.end)) {
    return fail(Fault::argument, "the planted model needs at least " + std::to_string(units.end) +
                                     " hidden units here, it has " + std::to_string(reader.hidden));
  }
  for (const int width : reader.small) {
    if (width > 0 && width <= static_cast<int>(units.signal)) {
      return fail(Fault::argument, "a small width of the planted model is 0 or more than " +
                                       std::to_string(units.signal));
    }
  }
  const bool needs_pulses =
      spec.layers > 1 || spec.pooling == Pooling::mean || spec.pooling == Pooling::attention;
  if (needs_pulses && !units.pulses) {
    return fail(Fault::argument, "the planted model cannot only skip with this pooling or layers");
  }
  if (reader.cell == Cell::rnn && spec.weights == WeightType::int8) {
    return fail(Fault::argument, "a tanh RNN cannot count in int8");
  }
  return {};
}

float between(float low, float high, Random& random) {
  return low + (high - low) * static_cast<float>(random.share());
}

// How much the decision wants to read a word, in logits: mild words less than strong ones, filler
// not at all, so that every threshold gives another trade.
float salience(const PlantedWord& word, Random& random) {
  if (word.role == PlantedRole::filler) return between(-5.0F, -1.2F, random);
  if (word.role == PlantedRole::negator) return between(2.0F, 4.0F, random);
  return word.strength == 2 ? between(2.2F, 5.0F, random) : between(1.2F, 3.0F, random);
}

void set_word(DraftTensors& tensors, std::size_t id, const PlantedWord& word, float weight,
              Random& random) {
  tensors.noise("words", id, 0.1F, random);
  const auto set = [&](std::size_t feature, float value) {
    tensors.at("words", id, feature) = value;
  };
  const float strength = 0.5F * static_cast<float>(word.strength) * weight;
  const bool positive = word.role == PlantedRole::positive;
  const bool negative = word.role == PlantedRole::negative;
  set(WordFeature::positive, positive ? 1 : 0);
  set(WordFeature::negative, negative ? 1 : 0);
  set(WordFeature::positive_strength, positive ? strength : 0);
  set(WordFeature::negative_strength, negative ? strength : 0);
  set(WordFeature::negator, word.role == PlantedRole::negator ? 1 : 0);
  set(WordFeature::salience, kSalienceUnit * salience(word, random));
  set(WordFeature::minor, word.role == PlantedRole::filler && random.chance(0.5) ? 1 : 0);
}

std::vector<std::string> set_words(DraftTensors& tensors, int count, float misjudged,
                                   std::uint64_t seed) {
  Random random(seed, 3);
  Random mistakes(seed, 5);
  std::vector<std::string> vocabulary = {"<unknown>"};
  set_word(tensors, 0, {}, 1, random);
  for (const PlantedWord& word : planted_words()) {
    set_word(tensors, vocabulary.size(), word, 1 + mistakes.within(misjudged), random);
    vocabulary.emplace_back(word.text);
  }
  while (vocabulary.size() < static_cast<std::size_t>(count)) {
    set_word(tensors, vocabulary.size(), {}, 1, random);
    vocabulary.push_back(made_up_word(vocabulary.size()));
  }
  return vocabulary;
}

// The head weighs evidence for a label against evidence for the other; one strong word more is
// worth about two in the logits.
void wire_head(DraftTensors& tensors, const ModelSpec& spec, std::uint64_t seed) {
  Random random(seed, 4);
  const Units units(spec.reader);
  for (std::size_t label = 0; label < 2; ++label) tensors.noise("head.w", label, 0.01F, random);
  const bool counts = spec.pooling == Pooling::last || spec.pooling == Pooling::max;
  const std::size_t first = counts ? units.counter : units.pulse;
  float weight = 1 / counter_unit(spec);
  if (spec.pooling == Pooling::mean) weight = 60 / kPulseUnit;      // words of a text
  if (spec.pooling == Pooling::attention) weight = 8 / kPulseUnit;  // of them with evidence
  for (const float sign : {-1.0F, 1.0F}) {
    const std::size_t label = sign > 0 ? 1 : 0;
    for (const std::size_t kind : kPositiveEvidence) {
      tensors.at("head.w", label, first + kind) = sign * weight;
    }
    for (const std::size_t kind : kNegativeEvidence) {
      tensors.at("head.w", label, first + kind) = -sign * weight;
    }
  }
  if (spec.pooling != Pooling::attention) return;
  for (std::size_t i = 0; i < tensors.rows("pool.w"); ++i) {
    tensors.at("pool.w", i) = random.within(0.01F);
  }
  tensors.at("pool.w", units.signal) = 6 / signal_value(spec.reader.cell);
}

Result<void> add_probes(ModelDraft& draft, Session& session, const PlantedOptions& task) {
  const std::vector<Policy> policies = {
      {}, {.read_above = 0.2F}, {.read_above = 0.9F}, {.rule = Policy::Rule::argmax}};
  for (std::size_t i = 0; i < policies.size(); ++i) {
    Probe probe;
    probe.query.text = planted_text(task, i).text;
    probe.policy = policies[i];
    Result<Reading> reading = session.ask(probe.query, probe.policy);
    if (!reading) return tl::make_unexpected(reading.error());
    probe.index = reading->answer.index;
    probe.scores = reading->scores;
    probe.trace = std::move(reading->trace);
    draft.probes.push_back(std::move(probe));
  }
  return {};
}

Result<void> add_calibration(ModelDraft& draft, Session& session, const PlantedOptions& task) {
  constexpr std::size_t kTexts = 50;
  draft.calibration.data = "planted words";
  for (int twentieth = 0; twentieth <= 20; ++twentieth) {
    const auto threshold = static_cast<float>(twentieth) / 20;
    Costs costs;
    for (std::size_t i = 0; i < kTexts; ++i) {
      const Result<Reading> reading =
          session.ask({planted_text(task, i).text, {}, {}}, {.read_above = threshold});
      if (!reading) return tl::make_unexpected(reading.error());
      costs += reading->costs;
    }
    const double work = costs.counted.flops / costs.counted.full_flops;
    draft.calibration.points.push_back({threshold, work});
  }
  return {};
}

// Both are measured on the model as it will be read from its file.
Result<void> measure(ModelDraft& draft, std::uint64_t seed) {
  Result<std::vector<std::byte>> bytes = to_bytes(draft);
  if (!bytes) return tl::make_unexpected(bytes.error());
  const Result<Model> model = Model::from_bytes(std::move(*bytes), "planted model");
  if (!model) return tl::make_unexpected(model.error());
  Session session(*model);
  const PlantedOptions task{.seed = seed + 1000};
  if (Result<void> done = add_probes(draft, session, task); !done) return done;
  if (draft.spec.reader.kind == ReaderKind::full) return {};
  return add_calibration(draft, session, task);
}

}  // namespace

Result<ModelDraft> planted_draft(const PlantedModelOptions& options) {
  ModelDraft draft;
  draft.spec = spec_of(options);
  if (Result<void> fine = check(draft.spec); !fine) return tl::make_unexpected(fine.error());
  if (Result<void> fine = check_room(draft.spec); !fine) return tl::make_unexpected(fine.error());
  draft.about = "planted model: weights set by hand for the planted task, seed " +
                std::to_string(options.seed);
  DraftTensors tensors(draft.spec);
  draft.vocabulary = set_words(tensors, draft.spec.vocabulary, options.misjudged, options.seed);
  for (int layer = 0; layer < draft.spec.layers; ++layer) {
    for (int direction = 0; direction < draft.spec.directions(); ++direction) {
      wire_reader(tensors, draft.spec, {layer, direction == 1}, options.seed);
    }
  }
  wire_head(tensors, draft.spec, options.seed);
  draft.tensors = tensors.take();
  if (Result<void> measured = measure(draft, options.seed); !measured) {
    return tl::make_unexpected(measured.error());
  }
  return draft;
}

}  // namespace skim
