#include "interchange/onnx_model.h"

#include <limits>

#include "base/json.h"
#include "interchange/onnx_graph.h"
#include "interchange/onnx_reader.h"
#include "spec/names.h"
#include "spec/params.h"
#include "spec/spec_json.h"

namespace skim {
namespace {

using onnx::attribute;
using onnx::Element;
using onnx::Graph;
using onnx::kWords;
using onnx::Name;
using onnx::PassValues;

constexpr std::int64_t kOnnxFormat = 8;  // "IR version"
// Readers of protobuf give up beyond this.
constexpr std::size_t kMostBytes = std::numeric_limits<std::int32_t>::max();

class ClassifierGraph {
 public:
  explicit ClassifierGraph(const ModelFile& file)
      : file_(file), spec_(file.spec), graph_(constants_) {}

  Message build() {
    const Name words = "words";
    graph_.add_input({words, Element::whole, {kWords}});
    graph_.add_input({"threshold", Element::real, {}});
    prepare_text(words);
    const Name vectors = constants_.reals(Name("word_vectors"), file_.find("words")->shape,
                                          to_floats(file_, "words"));
    read(graph_.op("Gather", {vectors, words}));
    score();
    const auto passes = static_cast<std::int64_t>(passes_of(spec_).size());
    graph_.add_output({"scores", Element::real, {static_cast<std::int64_t>(spec_.labels.size())}});
    graph_.add_output({"widths", Element::whole, {passes, kWords}});
    graph_.add_output({"p_read", Element::real, {passes, kWords}});
    return graph_.message("classifier", Graph::Place::outermost);
  }

 private:
  Name weight(const std::string& name) {
    return constants_.reals(name, file_.find(name)->shape, to_floats(file_, name));
  }

  void prepare_text(const Name& words) {
    text_.count = graph_.op("Squeeze", {graph_.op("Shape", {words})});
    if (spec_.bidirectional) {
      const Name zero = constants_.whole("zero", 0);
      const Name one = constants_.whole("one", 1);
      text_.last = graph_.op("Sub", {text_.count, one});
      text_.backwards =
          graph_.op("Sub", {text_.last, graph_.op("Range", {zero, text_.count, one})});
    }
    text_.threshold = graph_.op("Clip", {"threshold", constants_.reals("least", {}, 0.0F),
                                         constants_.reals("most", {}, 1.0F)});
  }

  Name joined(const std::vector<Name>& parts, std::int64_t axis) {
    return parts.size() == 1 ? parts[0] : graph_.op("Concat", parts, {attribute("axis", axis)});
  }

  // All layers and directions.
  void read(Name rows) {
    const auto directions = static_cast<std::size_t>(spec_.directions());
    const std::vector<PassSpec> passes = passes_of(spec_);
    std::vector<Name> widths, p_read;
    for (std::size_t first = 0; first < passes.size(); first += directions) {
      const bool is_last = first + directions == passes.size();
      const bool needs_rows = !is_last || spec_.pooling != Pooling::last;
      std::vector<Name> ends, halves;
      for (std::size_t i = first; i < first + directions; ++i) {
        const onnx::PassTensors tensors(file_, passes[i], constants_);
        const PassValues pass = onnx::add_pass(graph_, tensors, rows, text_,
                                               needs_rows ? onnx::Want::rows : onnx::Want::end);
        ends.push_back(pass.end);
        halves.push_back(pass.rows);
        widths.push_back(graph_.unsqueeze(pass.widths, 0));
        p_read.push_back(graph_.unsqueeze(pass.p_read, 0));
      }
      end_ = joined(ends, 1);
      if (needs_rows) rows = joined(halves, 1);
    }
    rows_ = rows;
    const Message axis = attribute("axis", std::int64_t{0});
    graph_.name_output("Concat", widths, "widths", {axis});
    graph_.name_output("Concat", p_read, "p_read", {axis});
  }

  void score() {
    const Name pooled = spec_.pooling == Pooling::last ? end_ : pool();
    const Name logits = graph_.dense(pooled, weight("head.w"), weight("head.b"));
    const Name scores = graph_.op("Softmax", {logits}, {attribute("axis", std::int64_t{1})});
    const std::int64_t first = 0;
    graph_.name_output("Squeeze", {scores, constants_.wholes("axis", {1}, {&first, 1})}, "scores");
  }

  // One row of all rows; zeros where there are none.
  Name pool() {
    Graph some(constants_), none(constants_);
    const onnx::Port port{"", Element::real, {1, spec_.row_width()}};
    const auto width = static_cast<std::size_t>(spec_.row_width());
    const auto leave = [&port](Graph& graph, Name name) {
      graph.add_output({std::move(name), port.element, port.extents});
    };
    leave(some, pool_rows(some));
    leave(none, none.op("Identity", {constants_.reals("nothing", {1, width}, 0.0F)}));
    const Name any = graph_.op("Greater", {text_.count, constants_.whole("zero", 0)});
    return graph_.op("If", {any}, {attribute("then_branch", some), attribute("else_branch", none)});
  }

  Name pool_rows(Graph& graph) {
    const auto words_axis = attribute("axes", std::vector<std::int64_t>{0});
    if (spec_.pooling == Pooling::max) return graph.op("ReduceMax", {rows_}, {words_axis});
    if (spec_.pooling == Pooling::mean) return graph.op("ReduceMean", {rows_}, {words_axis});
    const auto width = static_cast<std::size_t>(spec_.row_width());
    const Name weights = constants_.reals(Name("pool.w"), {width, 1}, to_floats(file_, "pool.w"));
    const Name matter = graph.op("Softmax", {graph.op("MatMul", {rows_, weights})},
                                 {attribute("axis", std::int64_t{0})});
    return graph.sum(graph.op("Mul", {rows_, matter}), 0);
  }

  const ModelFile& file_;
  const ModelSpec& spec_;
  onnx::Constants constants_;
  Graph graph_;
  onnx::TextValues text_;
  Name rows_, end_;  // of the last layer
};

Result<void> check_exportable(const ModelFile& file) {
  const auto cannot = [&](const std::string& why) {
    return fail(Fault::argument, file.name + ": cannot be exported: " + why);
  };
  if (file.spec.net != NetKind::classifier) {
    return cannot("it is a " + std::string(name_of(file.spec.net)) +
                  " net; only classifiers have an ONNX form");
  }
  const ReaderKind kind = file.spec.reader.kind;
  if (kind != ReaderKind::full && kind != ReaderKind::skim) {
    return cannot("its readers are of the kind " + std::string(name_of(kind)) +
                  "; only full and skim have an ONNX form");
  }
  std::size_t bytes = 0;
  for (const std::string_view word : file.vocabulary) bytes += word.size();
  for (const TensorSpec& tensor : model_tensors(file.spec)) {
    std::size_t count = sizeof(float);
    for (const std::size_t extent : tensor.shape) count *= extent;
    bytes += count;
  }
  if (bytes < kMostBytes) return {};
  return cannot("its weights take " + std::to_string(bytes) +
                " bytes in f32, and an ONNX file holds less than 2 GB");
}

Json words_json(const ModelFile& file) {
  Json words = Json::array();
  for (const std::string_view word : file.vocabulary) words.push_back(word);
  return words;
}

Message metadata(std::string_view key, const std::string& value) {
  return Message().add(1, key).add(2, value);
}

}  // namespace

Result<std::string> onnx_bytes(const ModelFile& file) {
  if (auto sound = check_exportable(file); !sound) return tl::make_unexpected(sound.error());
  Message model;
  model.add(1, kOnnxFormat).add(2, "skim").add(3, SKIM_VERSION);
  model.add(7, ClassifierGraph(file).build());
  model.add(8, Message().add(1, "").add(2, std::int64_t{kOnnxOperators}));
  model.add(14, metadata("skim.spec", to_text(json_of(file.spec))));
  model.add(14, metadata("skim.labels", to_text(Json(file.spec.labels))));
  model.add(14, metadata("skim.tokenizer", std::string(name_of(file.spec.tokenizer))));
  model.add(14, metadata("skim.words", to_text(words_json(file))));
  std::string bytes = model.take();
  if (bytes.size() <= kMostBytes) return bytes;
  return fail(Fault::argument, file.name + ": cannot be exported: it would take " +
                                   std::to_string(bytes.size()) +
                                   " bytes, and an ONNX file holds less than 2 GB");
}

std::string onnx_words_json(const ModelFile& file) {
  return to_text(Json{{"labels", file.spec.labels},
                      {"tokenizer", name_of(file.spec.tokenizer)},
                      {"words", words_json(file)}}) +
         "\n";
}

}  // namespace skim
