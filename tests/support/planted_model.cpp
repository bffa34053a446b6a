#include "tests/support/planted_model.h"

#include <algorithm>
#include <string>

#include "base/result_macros.h"
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

ModelSpec make_spec(const PlantedModelOptions& options) {
  ModelSpec spec;
  spec.embedding_size = options.embedding_size;
  spec.reader.kind = options.kind;
  spec.reader.cell = options.cell;
  spec.reader.input_size = options.embedding_size;
  spec.reader.hidden_size = options.hidden_size;
  spec.reader.skim_sizes =
      options.kind == ReaderKind::dense ? std::vector<int>{} : options.skim_sizes;
  spec.reader.small_input = options.small_input;
  spec.reader.decision = options.decision;
  spec.num_layers = options.num_layers;
  spec.bidirectional = options.bidirectional;
  spec.pooling = options.pooling;
  spec.tokenizer = options.tokenizer;
  spec.weight_type = options.weight_type;
  spec.labels.assign(kPlantedLabels.begin(), kPlantedLabels.end());
  spec.vocab_size = std::max(options.vocab_size, static_cast<int>(planted_words().size()) + 1);
  return spec;
}

Result<void> check_supported(const ModelSpec& spec) {
  const ReaderSpec& reader = spec.reader;
  if (reader.decision == Decision::dot) {
    return fail(Fault::argument, "the planted model does not support the dot decision");
  }
  if (spec.embedding_size < static_cast<int>(WordFeature::count)) {
    return fail(Fault::argument, "the planted model needs an embedding size of " +
                                     std::to_string(WordFeature::count) + " or more");
  }
  const Units units(reader);
  if (reader.hidden_size < static_cast<int>(units.end)) {
    return fail(Fault::argument, "the planted model needs at least " + std::to_string(units.end) +
                                     " hidden units here, it has " +
                                     std::to_string(reader.hidden_size));
  }
  for (const int width : reader.skim_sizes) {
    if (width > 0 && width <= static_cast<int>(units.signal)) {
      return fail(Fault::argument, "the skim sizes of the planted model must be 0 or more than " +
                                       std::to_string(units.signal));
    }
  }
  const bool needs_pulses =
      spec.num_layers > 1 || spec.pooling == Pooling::mean || spec.pooling == Pooling::attention;
  if (needs_pulses && !units.pulses) {
    return fail(
        Fault::argument,
        "the planted model does not support skim size 0 with this pooling or several layers");
  }
  if (reader.cell == Cell::rnn && spec.weight_type == WeightType::int8) {
    return fail(Fault::argument, "the planted model does not support a tanh RNN in int8");
  }
  return {};
}

float uniform_between(float low, float high, Random& random) {
  return low + (high - low) * static_cast<float>(random.uniform());
}

// Read logit of a word: lower for mild words than for strong ones, negative for filler, so that
// every threshold gives another trade-off.
float salience(const PlantedWord& word, Random& random) {
  if (word.role == PlantedRole::filler) return uniform_between(-5.0F, -1.2F, random);
  if (word.role == PlantedRole::negator) return uniform_between(2.0F, 4.0F, random);
  return word.strength == 2 ? uniform_between(2.2F, 5.0F, random)
                            : uniform_between(1.2F, 3.0F, random);
}

void set_word(DraftTensors& tensors, std::size_t id, const PlantedWord& word, float weight,
              Random& random) {
  tensors.noise("embedding.weight", id, 0.1F, random);
  const auto set = [&](std::size_t feature, float value) {
    tensors.at("embedding.weight", id, feature) = value;
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
  set(WordFeature::minor, word.role == PlantedRole::filler && random.bernoulli(0.5) ? 1 : 0);
}

std::vector<std::string> set_words(DraftTensors& tensors, int count, float strength_error,
                                   std::uint64_t seed) {
  Random random(seed, 3);
  Random strength_random(seed, 5);
  std::vector<std::string> vocabulary = {"<unknown>"};
  set_word(tensors, 0, {}, 1, random);
  for (const PlantedWord& word : planted_words()) {
    set_word(tensors, vocabulary.size(), word, 1 + strength_random.uniform_within(strength_error),
             random);
    vocabulary.emplace_back(word.text);
  }
  while (vocabulary.size() < static_cast<std::size_t>(count)) {
    set_word(tensors, vocabulary.size(), {}, 1, random);
    vocabulary.push_back(synthetic_word(vocabulary.size()));
  }
  return vocabulary;
}

// Sets the head: the logits are the difference of the evidence for both labels; one strong word
// changes them by about two.
void wire_head(DraftTensors& tensors, const ModelSpec& spec, std::uint64_t seed) {
  Random random(seed, 4);
  const Units units(spec.reader);
  for (std::size_t label = 0; label < 2; ++label)
    tensors.noise("head.weight", label, 0.01F, random);
  const bool counts = spec.pooling == Pooling::last || spec.pooling == Pooling::max;
  const std::size_t first = counts ? units.counter : units.pulse;
  float weight = 1 / counter_unit(spec);
  if (spec.pooling == Pooling::mean) weight = 60 / kPulseUnit;      // words of a text
  if (spec.pooling == Pooling::attention) weight = 8 / kPulseUnit;  // of them with evidence
  for (const float sign : {-1.0F, 1.0F}) {
    const std::size_t label = sign > 0 ? 1 : 0;
    for (const std::size_t kind : kPositiveEvidence) {
      tensors.at("head.weight", label, first + kind) = sign * weight;
    }
    for (const std::size_t kind : kNegativeEvidence) {
      tensors.at("head.weight", label, first + kind) = -sign * weight;
    }
  }
  if (spec.pooling != Pooling::attention) return;
  for (std::size_t i = 0; i < tensors.rows("pooling.weight"); ++i) {
    tensors.at("pooling.weight", i) = random.uniform_within(0.01F);
  }
  tensors.at("pooling.weight", units.signal) = 6 / signal_value(spec.reader.cell);
}

Result<void> add_probes(ModelDraft& draft, Session& session, const PlantedOptions& task) {
  const std::vector<Policy> policies = {
      {}, {.threshold = 0.2F}, {.threshold = 0.9F}, {.rule = Policy::Rule::argmax}};
  for (std::size_t i = 0; i < policies.size(); ++i) {
    Probe probe;
    probe.query.text = planted_text(task, i).text;
    probe.policy = policies[i];
    SKIM_ASSIGN_OR_RETURN(Reading reading, session.read(probe.query, probe.policy));
    probe.index = reading.answer.index;
    probe.scores = reading.scores;
    probe.trace = std::move(reading.trace);
    draft.probes.push_back(std::move(probe));
  }
  return {};
}

Result<void> add_calibration(ModelDraft& draft, Session& session, const PlantedOptions& task) {
  constexpr std::size_t kTexts = 50;
  draft.calibration.data = "planted words";
  for (int i = 0; i <= 20; ++i) {
    const auto threshold = static_cast<float>(i) / 20;
    Costs costs;
    for (std::size_t text = 0; text < kTexts; ++text) {
      SKIM_ASSIGN_OR_RETURN(
          const Reading reading,
          session.read({planted_text(task, text).text, {}, {}}, {.threshold = threshold}));
      costs += reading.costs;
    }
    const double work = costs.counted.flops / costs.counted.dense_flops;
    draft.calibration.points.push_back({threshold, work});
  }
  return {};
}

// Adds probes and calibration, measured on the serialized model.
Result<void> add_measurements(ModelDraft& draft, std::uint64_t seed) {
  SKIM_ASSIGN_OR_RETURN(std::vector<std::byte> bytes, to_bytes(draft));
  SKIM_ASSIGN_OR_RETURN(const Model model, Model::from_bytes(std::move(bytes), "planted model"));
  Session session(model);
  const PlantedOptions task{.seed = seed + 1000};
  SKIM_RETURN_IF_ERROR(add_probes(draft, session, task));
  if (draft.spec.reader.kind == ReaderKind::dense) return {};
  return add_calibration(draft, session, task);
}

}  // namespace

Result<ModelDraft> planted_draft(const PlantedModelOptions& options) {
  ModelDraft draft;
  draft.spec = make_spec(options);
  SKIM_RETURN_IF_ERROR(check(draft.spec));
  SKIM_RETURN_IF_ERROR(check_supported(draft.spec));
  draft.about = "planted model: weights set by hand for the planted task, seed " +
                std::to_string(options.seed);
  DraftTensors tensors(draft.spec);
  draft.vocabulary =
      set_words(tensors, draft.spec.vocab_size, options.strength_error, options.seed);
  for (int layer = 0; layer < draft.spec.num_layers; ++layer) {
    for (int direction = 0; direction < draft.spec.directions(); ++direction) {
      wire_reader(tensors, draft.spec, {layer, direction == 1}, options.seed);
    }
  }
  wire_head(tensors, draft.spec, options.seed);
  draft.tensors = tensors.take();
  SKIM_RETURN_IF_ERROR(add_measurements(draft, options.seed));
  return draft;
}

}  // namespace skim
