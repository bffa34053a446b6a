#include "interchange/onnx_reader.h"

#include <optional>

#include "interchange/onnx_cell.h"
#include "interchange/onnx_decision.h"

namespace skim::onnx {
namespace {

// The parts of one cell that do not depend on the word.
struct CellConstants {
  std::int64_t units = 0;
  bool sees_all = true;
  Name rows;       // the big cell: what it reads, word by word; nothing else is computed in advance
  Name input;      // and its matrix over that, with
  Name bias;       // its bias
  Name from_rows;  // a small cell: the gates' sums over all rows, [words, gates * units]
  Name state, state_bias;
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
    widths_ = graph.constants().wholes("level_widths", {widths.size()}, widths);
  }

  PassValues add(Want want) {
    Constants& constants = graph_.constants();
    const std::size_t states = has_cell() ? 2 : 1;
    std::vector<Name> inputs = {text_.count, ""};
    for (std::size_t i = 0; i < states; ++i)
      inputs.push_back(constants.reals("start", {1, static_cast<std::size_t>(reader_.hidden)}, 0));
    const std::size_t rows = want == Want::rows ? 1 : 0;
    const std::size_t steps = decision_ ? 2 : 0;
    std::vector<Name> out =
        graph_.ops("Loop", inputs, states + rows + steps, {attribute("body", body(want))});
    PassValues values;
    values.end = out[0];
    if (rows != 0) values.rows = in_text_order(graph_.squeeze(out[states], 1));
    if (decision_) {
      values.widths = in_text_order(out[states + rows]);
      values.p_read = in_text_order(out[states + rows + 1]);
    } else {
      const Name shape = graph_.unsqueeze(text_.count, 0);
      values.widths = graph_.op("Expand", {constants.whole("all_units", reader_.hidden), shape});
      values.p_read = graph_.op("Expand", {constants.reals("sure", {}, 1.0F), shape});
    }
    return values;
  }

 private:
  bool has_cell() const { return reader_.cell == Cell::lstm; }

  CellConstants big_cell(const Name& rows) const {
    CellConstants cell;
    cell.units = reader_.hidden;
    cell.rows = rows;
    cell.input = tensors_.constant("big.w");
    cell.bias = tensors_.constant("big.b");
    cell.state = tensors_.constant("big.u");
    cell.state_bias = tensors_.state_bias("big.");
    return cell;
  }

  // A skim is cheap, so its sums over the input are made for all words in one product.
  CellConstants small_cell(int level, const Name& rows) {
    CellConstants cell;
    cell.units = reader_.width(level);
    cell.sees_all = reader_.small_sees == SmallSees::all;
    if (cell.units == 0) return cell;
    const std::string prefix = "small." + std::to_string(level) + ".";
    cell.from_rows =
        graph_.dense(rows, tensors_.constant(prefix + "w"), tensors_.constant(prefix + "b"));
    cell.state = tensors_.constant(prefix + "u");
    cell.state_bias = tensors_.state_bias(prefix);
    return cell;
  }

  Name in_text_order(const Name& values) {
    return tensors_.backward() ? graph_.op("Gather", {values, text_.backwards}) : values;
  }

  // The loop's body: iteration number, whether to go on (always) and state in; whether to go on,
  // state and what is collected out.
  Graph body(Want want) const {
    Graph inside(graph_.constants());
    const Name step = input_of(inside, "step", Element::whole, {});
    const Name going = input_of(inside, "going", Element::yes_no, {});
    CellState state;
    state.hidden = input_of(inside, "hidden", Element::real, {1, reader_.hidden});
    if (has_cell()) state.cell = input_of(inside, "cell", Element::real, {1, reader_.hidden});
    const Name index = tensors_.backward() ? inside.op("Sub", {text_.last, step}) : step;
    const Name at = inside.unsqueeze(index, 0);

    std::optional<Choice> choice;
    if (decision_) choice = decision_->choose(inside, at, state);
    const CellState next =
        choice ? take(inside, choice->level, 0, at, state) : run(inside, levels_[0], at, state);
    inside.add_output({inside.op("Identity", {going}), Element::yes_no, {}});
    add_outputs(inside, next);
    if (want == Want::rows)
      inside.add_output({inside.op("Identity", {next.hidden}), Element::real, {1, reader_.hidden}});
    if (choice) {
      inside.add_output({inside.op("Gather", {widths_, choice->level}), Element::whole, {}});
      inside.add_output({choice->p_read, Element::real, {}});
    }
    return inside;
  }

  static Name input_of(Graph& graph, std::string_view hint, Element element,
                       std::vector<std::int64_t> extents) {
    Port port{graph.constants().fresh(hint), element, std::move(extents)};
    graph.add_input(port);
    return port.name;
  }

  void add_outputs(Graph& graph, const CellState& state) const {
    graph.add_output({state.hidden, Element::real, {1, reader_.hidden}});
    if (has_cell()) graph.add_output({state.cell, Element::real, {1, reader_.hidden}});
  }

  // One branch a level, so that only the chosen cell runs.
  CellState take(Graph& graph, const Name& chosen, std::size_t level, const Name& at,
                 const CellState& old) const {
    if (level + 1 == levels_.size()) return run(graph, levels_[level], at, old);
    const auto wanted = static_cast<std::int64_t>(level);
    const Name condition = graph.op("Equal", {chosen, graph.constants().whole("level", wanted)});
    Graph this_one(graph.constants()), others(graph.constants());
    add_outputs(this_one, run(this_one, levels_[level], at, old));
    add_outputs(others, take(others, chosen, level + 1, at, old));
    const std::vector<Name> out =
        graph.ops("If", {condition}, has_cell() ? 2 : 1,
                  {attribute("then_branch", this_one), attribute("else_branch", others)});
    return {out[0], has_cell() ? out[1] : Name()};
  }

  CellState run(Graph& graph, const CellConstants& cell, const Name& at,
                const CellState& old) const {
    if (cell.units == 0) return keep(graph, old);
    const Name from_input =
        cell.from_rows.empty()
            ? graph.dense(graph.op("Gather", {cell.rows, at}), cell.input, cell.bias)
            : graph.op("Gather", {cell.from_rows, at});
    const CellState mine = part(graph, old, 0, cell.units);
    const Name from_state =
        graph.dense(cell.sees_all ? old.hidden : mine.hidden, cell.state, cell.state_bias);
    const CellState fresh = apply_gates(graph, reader_.cell, from_input, from_state, mine);
    if (cell.units == reader_.hidden) return fresh;
    const CellState rest = part(graph, old, cell.units, reader_.hidden);
    const Message axis = attribute("axis", std::int64_t{1});
    return {graph.op("Concat", {fresh.hidden, rest.hidden}, {axis}),
            has_cell() ? graph.op("Concat", {fresh.cell, rest.cell}, {axis}) : Name()};
  }

  CellState keep(Graph& graph, const CellState& old) const {
    return {graph.op("Identity", {old.hidden}),
            has_cell() ? graph.op("Identity", {old.cell}) : Name()};
  }

  CellState part(Graph& graph, const CellState& whole, std::int64_t from, std::int64_t to) const {
    if (from == 0 && to == reader_.hidden) return whole;
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
                    const TextValues& text, Want want) {
  return PassGraph(graph, tensors, rows, text).add(want);
}

}  // namespace skim::onnx
