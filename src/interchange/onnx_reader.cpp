#include "interchange/onnx_reader.h"

#include <optional>

#include "interchange/onnx_cell.h"
#include "interchange/onnx_decision.h"

namespace skim::onnx {
namespace {

// Weights of one cell and its inputs.
struct CellConstants {
  std::int64_t units = 0;
  bool reads_full_state = true;
  Name rows;       // big cell: input rows, projected step by step
  Name weight_ih;  // big cell: input weights
  Name bias;       // big cell: bias
  Name from_rows;  // small cell: projected input of all words, [words, gates * units]
  Name weight_hh, bias_hh;
};

class PassGraph {
 public:
  PassGraph(Graph& graph, const PassTensors& tensors, const Name& rows, const TextValues& text)
      : graph_(graph), tensors_(tensors), reader_(tensors.reader()), text_(text) {
    levels_.push_back(big_cell(rows));
    if (reader_.kind != ReaderKind::skim) return;
    decision_.emplace(graph, tensors, rows, text.threshold);
    for (int level = 1; level < reader_.levels(); ++level)
      levels_.push_back(small_cell(level, rows));
    std::vector<std::int64_t> widths;
    for (const CellConstants& level : levels_) widths.push_back(level.units);
    widths_ = graph.initializers().ints("level_widths", {widths.size()}, widths);
  }

  PassValues add(PassOutput output) {
    Initializers& initializers = graph_.initializers();
    const std::size_t states = has_cell() ? 2 : 1;
    std::vector<Name> inputs = {text_.num_words, ""};
    for (std::size_t i = 0; i < states; ++i)
      inputs.push_back(initializers.floats("initial_state",
                                           {1, static_cast<std::size_t>(reader_.hidden_size)}, 0));
    const std::size_t rows = output == PassOutput::all_states ? 1 : 0;
    const std::size_t steps = decision_ ? 2 : 0;
    std::vector<Name> out =
        graph_.ops("Loop", inputs, states + rows + steps, {attribute("body", body(output))});
    PassValues values;
    values.final_state = out[0];
    if (rows != 0) values.states = in_text_order(graph_.squeeze(out[states], 1));
    if (decision_) {
      values.widths = in_text_order(out[states + rows]);
      values.p_read = in_text_order(out[states + rows + 1]);
    } else {
      const Name shape = graph_.unsqueeze(text_.num_words, 0);
      values.widths =
          graph_.op("Expand", {initializers.int_scalar("all_units", reader_.hidden_size), shape});
      values.p_read = graph_.op("Expand", {initializers.floats("certain", {}, 1.0F), shape});
    }
    return values;
  }

 private:
  bool has_cell() const { return reader_.cell == Cell::lstm; }

  CellConstants big_cell(const Name& rows) const {
    CellConstants cell;
    cell.units = reader_.hidden_size;
    cell.rows = rows;
    cell.weight_ih = tensors_.constant("big.weight_ih");
    cell.bias = tensors_.constant("big.bias");
    cell.weight_hh = tensors_.constant("big.weight_hh");
    cell.bias_hh = tensors_.state_bias("big.");
    return cell;
  }

  // Projects the input of all words in one product, because skims are cheap and frequent.
  CellConstants small_cell(int level, const Name& rows) {
    CellConstants cell;
    cell.units = reader_.width(level);
    cell.reads_full_state = reader_.small_input == SmallInput::full;
    if (cell.units == 0) return cell;
    const std::string prefix = "small." + std::to_string(level) + ".";
    cell.from_rows = graph_.gemm(rows, tensors_.constant(prefix + "weight_ih"),
                                 tensors_.constant(prefix + "bias"));
    cell.weight_hh = tensors_.constant(prefix + "weight_hh");
    cell.bias_hh = tensors_.state_bias(prefix);
    return cell;
  }

  Name in_text_order(const Name& values) {
    return tensors_.backward() ? graph_.op("Gather", {values, text_.reversed_indices}) : values;
  }

  // Loop body. Inputs: iteration, condition, state. Outputs: condition, state, scan outputs.
  Graph body(PassOutput output) const {
    Graph inside(graph_.initializers());
    const Name step = add_body_input(inside, "step", ElementType::int64, {});
    const Name condition = add_body_input(inside, "condition", ElementType::boolean, {});
    CellState state;
    state.hidden = add_body_input(inside, "hidden", ElementType::float32, {1, reader_.hidden_size});
    if (has_cell())
      state.cell = add_body_input(inside, "cell", ElementType::float32, {1, reader_.hidden_size});
    const Name index = tensors_.backward() ? inside.op("Sub", {text_.last_index, step}) : step;
    const Name at = inside.unsqueeze(index, 0);

    std::optional<LevelChoice> choice;
    if (decision_) choice = decision_->choose(inside, at, state);
    const CellState next = choice ? run_chosen_level(inside, choice->level, 0, at, state)
                                  : run_cell(inside, levels_[0], at, state);
    inside.add_output({inside.op("Identity", {condition}), ElementType::boolean, {}});
    add_outputs(inside, next);
    if (output == PassOutput::all_states)
      inside.add_output(
          {inside.op("Identity", {next.hidden}), ElementType::float32, {1, reader_.hidden_size}});
    if (choice) {
      inside.add_output({inside.op("Gather", {widths_, choice->level}), ElementType::int64, {}});
      inside.add_output({choice->p_read, ElementType::float32, {}});
    }
    return inside;
  }

  static Name add_body_input(Graph& graph, std::string_view hint, ElementType type,
                             std::vector<std::int64_t> shape) {
    ValueInfo value{graph.initializers().unique_name(hint), type, std::move(shape)};
    graph.add_input(value);
    return value.name;
  }

  void add_outputs(Graph& graph, const CellState& state) const {
    graph.add_output({state.hidden, ElementType::float32, {1, reader_.hidden_size}});
    if (has_cell()) graph.add_output({state.cell, ElementType::float32, {1, reader_.hidden_size}});
  }

  // One branch per level, so that only the chosen cell runs.
  CellState run_chosen_level(Graph& graph, const Name& chosen, std::size_t level, const Name& at,
                             const CellState& old) const {
    if (level + 1 == levels_.size()) return run_cell(graph, levels_[level], at, old);
    const auto wanted = static_cast<std::int64_t>(level);
    const Name condition =
        graph.op("Equal", {chosen, graph.initializers().int_scalar("level", wanted)});
    Graph then_branch(graph.initializers()), else_branch(graph.initializers());
    add_outputs(then_branch, run_cell(then_branch, levels_[level], at, old));
    add_outputs(else_branch, run_chosen_level(else_branch, chosen, level + 1, at, old));
    const std::vector<Name> out =
        graph.ops("If", {condition}, has_cell() ? 2 : 1,
                  {attribute("then_branch", then_branch), attribute("else_branch", else_branch)});
    return {out[0], has_cell() ? out[1] : Name()};
  }

  CellState run_cell(Graph& graph, const CellConstants& cell, const Name& at,
                     const CellState& old) const {
    if (cell.units == 0) return keep(graph, old);
    const Name from_input = cell.from_rows.empty() ? graph.gemm(graph.op("Gather", {cell.rows, at}),
                                                                cell.weight_ih, cell.bias)
                                                   : graph.op("Gather", {cell.from_rows, at});
    const CellState prefix_state = slice(graph, old, 0, cell.units);
    const Name from_state = graph.gemm(cell.reads_full_state ? old.hidden : prefix_state.hidden,
                                       cell.weight_hh, cell.bias_hh);
    const CellState updated =
        apply_gates(graph, reader_.cell, from_input, from_state, prefix_state);
    if (cell.units == reader_.hidden_size) return updated;
    const CellState rest = slice(graph, old, cell.units, reader_.hidden_size);
    const Message axis = attribute("axis", std::int64_t{1});
    return {graph.op("Concat", {updated.hidden, rest.hidden}, {axis}),
            has_cell() ? graph.op("Concat", {updated.cell, rest.cell}, {axis}) : Name()};
  }

  CellState keep(Graph& graph, const CellState& old) const {
    return {graph.op("Identity", {old.hidden}),
            has_cell() ? graph.op("Identity", {old.cell}) : Name()};
  }

  CellState slice(Graph& graph, const CellState& whole, std::int64_t from, std::int64_t to) const {
    if (from == 0 && to == reader_.hidden_size) return whole;
    return {graph.columns(whole.hidden, from, to),
            has_cell() ? graph.columns(whole.cell, from, to) : Name()};
  }

  Graph& graph_;
  const PassTensors& tensors_;
  ReaderSpec reader_;
  TextValues text_;
  std::optional<DecisionGraph> decision_;
  std::vector<CellConstants> levels_;  // the big cell first
  Name widths_;
};

}  // namespace

PassValues add_pass(Graph& graph, const PassTensors& tensors, const Name& rows,
                    const TextValues& text, PassOutput output) {
  return PassGraph(graph, tensors, rows, text).add(output);
}

}  // namespace skim::onnx
