#include "interchange/onnx_model.h"

#include <limits>

#include "base/json.h"
#include "base/result_macros.h"
#include "interchange/onnx_graph.h"
#include "interchange/onnx_reader.h"
#include "skim/version.h"
#include "spec/names.h"
#include "spec/params.h"
#include "spec/spec_json.h"

namespace skim {
namespace {

using onnx::attribute;
using onnx::ElementType;
using onnx::Graph;
using onnx::kDynamicSize;
using onnx::Name;
using onnx::PassValues;

constexpr std::int64_t kOnnxIrVersion = 8;
// Limit of protobuf parsers.
constexpr std::size_t kMaxBytes = std::numeric_limits<std::int32_t>::max();

class ClassifierGraph {
 public:
  explicit ClassifierGraph(const ModelFile& file)
      : file_(file), spec_(file.spec), graph_(initializers_) {}

  Message build() {
    const Name words = "words";
    graph_.add_input({words, ElementType::int64, {kDynamicSize}});
    graph_.add_input({"threshold", ElementType::float32, {}});
    prepare_text(words);
    const Name embedding =
        initializers_.floats(Name("embedding"), file_.find("embedding.weight")->shape,
                             to_floats(file_, "embedding.weight"));
    read(graph_.op("Gather", {embedding, words}));
    score();
    const auto passes = static_cast<std::int64_t>(model_passes(spec_).size());
    graph_.add_output(
        {"scores", ElementType::float32, {static_cast<std::int64_t>(spec_.num_logits())}});
    graph_.add_output({"widths", ElementType::int64, {passes, kDynamicSize}});
    graph_.add_output({"p_read", ElementType::float32, {passes, kDynamicSize}});
    return graph_.message("classifier", Graph::Kind::main);
  }

 private:
  Name weight(const std::string& name) {
    return initializers_.floats(name, file_.find(name)->shape, to_floats(file_, name));
  }

  void prepare_text(const Name& words) {
    text_.num_words = graph_.op("Squeeze", {graph_.op("Shape", {words})});
    if (spec_.bidirectional) {
      const Name zero = initializers_.int_scalar("zero", 0);
      const Name one = initializers_.int_scalar("one", 1);
      text_.last_index = graph_.op("Sub", {text_.num_words, one});
      text_.reversed_indices =
          graph_.op("Sub", {text_.last_index, graph_.op("Range", {zero, text_.num_words, one})});
    }
    text_.threshold = graph_.op("Clip", {"threshold", initializers_.floats("min", {}, 0.0F),
                                         initializers_.floats("max", {}, 1.0F)});
  }

  Name concat(const std::vector<Name>& parts, std::int64_t axis) {
    return parts.size() == 1 ? parts[0] : graph_.op("Concat", parts, {attribute("axis", axis)});
  }

  // Adds all layers and directions.
  void read(Name rows) {
    const auto directions = static_cast<std::size_t>(spec_.directions());
    const std::vector<PassSpec> passes = model_passes(spec_);
    std::vector<Name> widths, p_read;
    for (std::size_t first = 0; first < passes.size(); first += directions) {
      const bool is_last = first + directions == passes.size();
      const bool needs_states = !is_last || spec_.pooling != Pooling::last;
      std::vector<Name> final_states, states;
      for (std::size_t i = first; i < first + directions; ++i) {
        const onnx::PassTensors tensors(file_, passes[i], initializers_);
        const PassValues pass = onnx::add_pass(
            graph_, tensors, rows, text_,
            needs_states ? onnx::PassOutput::all_states : onnx::PassOutput::final_state);
        final_states.push_back(pass.final_state);
        states.push_back(pass.states);
        widths.push_back(graph_.unsqueeze(pass.widths, 0));
        p_read.push_back(graph_.unsqueeze(pass.p_read, 0));
      }
      final_state_ = concat(final_states, 1);
      if (needs_states) rows = concat(states, 1);
    }
    rows_ = rows;
    const Message axis = attribute("axis", std::int64_t{0});
    graph_.add_named("Concat", widths, "widths", {axis});
    graph_.add_named("Concat", p_read, "p_read", {axis});
  }

  void score() {
    const Name pooled = spec_.pooling == Pooling::last ? final_state_ : pool();
    Name logits = graph_.gemm(pooled, weight("head.weight"), weight("head.bias"));
    const auto temperature = static_cast<float>(file_.calibration.temperature);
    if (temperature != 1)
      logits = graph_.op("Div", {logits, initializers_.floats("temperature", {}, temperature)});
    const std::int64_t first = 0;
    graph_.add_named("Squeeze", {activate(logits), initializers_.ints("axis", {1}, {&first, 1})},
                     "scores");
  }

  Name activate(const Name& logits) {
    switch (spec_.output) {
      case OutputActivation::softmax:
        break;
      case OutputActivation::sigmoid:
        return graph_.op("Sigmoid", {logits});
      case OutputActivation::linear:
        return logits;
    }
    return graph_.op("Softmax", {logits}, {attribute("axis", std::int64_t{1})});
  }

  // Pools the states; zeros for an empty text.
  Name pool() {
    Graph some(initializers_), none(initializers_);
    const onnx::ValueInfo value{"", ElementType::float32, {1, spec_.output_size()}};
    const auto width = static_cast<std::size_t>(spec_.output_size());
    const auto add_output = [&value](Graph& graph, Name name) {
      graph.add_output({std::move(name), value.type, value.shape});
    };
    add_output(some, pool_rows(some));
    add_output(none, none.op("Identity", {initializers_.floats("nothing", {1, width}, 0.0F)}));
    const Name any = graph_.op("Greater", {text_.num_words, initializers_.int_scalar("zero", 0)});
    return graph_.op("If", {any}, {attribute("then_branch", some), attribute("else_branch", none)});
  }

  Name pool_rows(Graph& graph) {
    const auto words_axis = attribute("axes", std::vector<std::int64_t>{0});
    if (spec_.pooling == Pooling::max) return graph.op("ReduceMax", {rows_}, {words_axis});
    if (spec_.pooling == Pooling::mean) return graph.op("ReduceMean", {rows_}, {words_axis});
    const auto width = static_cast<std::size_t>(spec_.output_size());
    const Name weights = initializers_.floats(Name("pooling.weight"), {width, 1},
                                              to_floats(file_, "pooling.weight"));
    const Name attention = graph.op("Softmax", {graph.op("MatMul", {rows_, weights})},
                                    {attribute("axis", std::int64_t{0})});
    return graph.sum(graph.op("Mul", {rows_, attention}), 0);
  }

  const ModelFile& file_;
  const ModelSpec& spec_;
  onnx::Initializers initializers_;
  Graph graph_;
  onnx::TextValues text_;
  Name rows_, final_state_;  // of the last layer
};

Result<void> check_exportable(const ModelFile& file) {
  const auto cannot = [&](const std::string& why) {
    return fail(Fault::argument, file.name + ": cannot be exported: " + why);
  };
  if (file.spec.net != NetKind::classifier) {
    return cannot("it is a " + std::string(to_string(file.spec.net)) +
                  " net; only classifiers can be exported");
  }
  const ReaderKind kind = file.spec.reader.kind;
  if (kind != ReaderKind::dense && kind != ReaderKind::skim) {
    return cannot("its readers are of the kind " + std::string(to_string(kind)) +
                  "; only dense and skim readers can be exported");
  }
  std::size_t bytes = 0;
  for (const std::string_view word : file.vocabulary) bytes += word.size();
  for (const TensorSpec& tensor : model_tensors(file.spec)) {
    std::size_t count = sizeof(float);
    for (const std::size_t extent : tensor.shape) count *= extent;
    bytes += count;
  }
  if (bytes < kMaxBytes) return {};
  return cannot("its weights need " + std::to_string(bytes) +
                " bytes in f32, and an ONNX file is limited to 2 GB");
}

Json words_json(const ModelFile& file) {
  Json words = Json::array();
  for (const std::string_view word : file.vocabulary) words.push_back(word);
  return words;
}

// One threshold per label of a multi-label model.
Json thresholds_json(const ModelFile& file) {
  if (!file.calibration.label_thresholds.empty()) return file.calibration.label_thresholds;
  return std::vector<float>(file.spec.labels.size(), 0.5F);
}

Message metadata(std::string_view key, const std::string& value) {
  return Message().add(1, key).add(2, value);
}

}  // namespace

Result<std::string> export_onnx(const ModelFile& file) {
  SKIM_RETURN_IF_ERROR(check_exportable(file));
  Message model;
  model.add(1, kOnnxIrVersion).add(2, "skim").add(3, SKIM_VERSION);
  model.add(7, ClassifierGraph(file).build());
  model.add(8, Message().add(1, "").add(2, std::int64_t{kOnnxOpset}));
  model.add(14, metadata("skim.spec", to_text(to_json(file.spec))));
  model.add(14, metadata("skim.labels", to_text(Json(file.spec.labels))));
  if (file.spec.output == OutputActivation::sigmoid)
    model.add(14, metadata("skim.label_thresholds", to_text(thresholds_json(file))));
  model.add(14, metadata("skim.tokenizer", std::string(to_string(file.spec.tokenizer))));
  model.add(14, metadata("skim.words", to_text(words_json(file))));
  std::string bytes = model.take();
  if (bytes.size() <= kMaxBytes) return bytes;
  return fail(Fault::argument, file.name + ": cannot be exported: it needs " +
                                   std::to_string(bytes.size()) +
                                   " bytes, and an ONNX file is limited to 2 GB");
}

std::string onnx_vocab_json(const ModelFile& file) {
  Json json = {{"labels", file.spec.labels}};
  if (file.spec.output == OutputActivation::sigmoid)
    json["label_thresholds"] = thresholds_json(file);
  json["tokenizer"] = to_string(file.spec.tokenizer);
  json["words"] = words_json(file);
  return to_text(json) + "\n";
}

}  // namespace skim
