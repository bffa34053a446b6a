#include "interchange/onnx_graph.h"

namespace skim::onnx {
namespace {

// Field numbers of onnx.proto.
enum NodeField {
  kNodeInput = 1,
  kNodeOutput = 2,
  kNodeName = 3,
  kNodeKind = 4,
  kNodeAttribute = 5
};
enum GraphField {
  kGraphNode = 1,
  kGraphName = 2,
  kGraphConstant = 5,
  kGraphInput = 11,
  kGraphOutput = 12
};
enum TensorField { kTensorExtent = 1, kTensorType = 2, kTensorName = 8, kTensorBytes = 9 };
enum AttributeField {
  kAttributeName = 1,
  kAttributeWhole = 3,
  kAttributeGraph = 6,
  kAttributeWholes = 8,
  kAttributeType = 20
};
enum AttributeType : std::int64_t { kWhole = 2, kGraph = 5, kWholes = 7 };

Message to_type_message(const ValueInfo& value) {
  Message shape;
  for (const std::int64_t extent : value.shape) {
    shape.add(1, extent == kDynamicSize ? Message().add(2, "words") : Message().add(1, extent));
  }
  const Message tensor = Message().add(1, static_cast<std::int64_t>(value.type)).add(2, shape);
  return Message().add(1, tensor);
}

Message to_message(const ValueInfo& value) {
  return Message().add(1, value.name).add(2, to_type_message(value));
}

}  // namespace

Name Initializers::unique_name(std::string_view hint) {
  return std::string(hint) + "_" + std::to_string(++count_);
}

Name Initializers::add(Name name, const std::vector<std::size_t>& shape, ElementType type,
                       std::span<const std::byte> bytes) {
  Message tensor;
  for (const std::size_t extent : shape)
    tensor.add(kTensorExtent, static_cast<std::int64_t>(extent));
  tensor.add(kTensorType, static_cast<std::int64_t>(type)).add(kTensorName, name);
  tensor.add(kTensorBytes,
             std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  messages_.push_back(std::move(tensor));
  return name;
}

Name Initializers::floats(Name name, const std::vector<std::size_t>& shape,
                          std::span<const float> values) {
  return add(std::move(name), shape, ElementType::float32, std::as_bytes(values));
}

Name Initializers::floats(std::string_view hint, const std::vector<std::size_t>& shape,
                          float value) {
  std::size_t count = 1;
  for (const std::size_t extent : shape) count *= extent;
  return floats(unique_name(hint), shape, std::vector<float>(count, value));
}

Name Initializers::ints(std::string_view hint, const std::vector<std::size_t>& shape,
                        std::span<const std::int64_t> values) {
  return add(unique_name(hint), shape, ElementType::int64, std::as_bytes(values));
}

Message attribute(std::string_view name, std::int64_t value) {
  return Message()
      .add(kAttributeName, name)
      .add(kAttributeWhole, value)
      .add(kAttributeType, std::int64_t{kWhole});
}

Message attribute(std::string_view name, const std::vector<std::int64_t>& values) {
  Message message;
  message.add(kAttributeName, name);
  for (const std::int64_t value : values) message.add(kAttributeWholes, value);
  return message.add(kAttributeType, std::int64_t{kWholes});
}

Message attribute(std::string_view name, const Graph& graph) {
  return Message()
      .add(kAttributeName, name)
      .add(kAttributeGraph, graph.message(name, Graph::Kind::subgraph))
      .add(kAttributeType, std::int64_t{kGraph});
}

void Graph::add_node(std::string_view kind, const std::vector<Name>& inputs,
                     const std::vector<Name>& outputs, const std::vector<Message>& attributes) {
  Message node;
  for (const Name& input : inputs) node.add(kNodeInput, input);
  for (const Name& output : outputs) node.add(kNodeOutput, output);
  node.add(kNodeName, outputs.front()).add(kNodeKind, kind);
  for (const Message& attribute : attributes) node.add(kNodeAttribute, attribute);
  nodes_.push_back(std::move(node));
}

std::vector<Name> Graph::ops(std::string_view kind, const std::vector<Name>& inputs,
                             std::size_t outputs, const std::vector<Message>& attributes) {
  std::vector<Name> names;
  for (std::size_t i = 0; i < outputs; ++i) names.push_back(initializers_->unique_name(kind));
  add_node(kind, inputs, names, attributes);
  return names;
}

Name Graph::op(std::string_view kind, const std::vector<Name>& inputs,
               const std::vector<Message>& attributes) {
  return ops(kind, inputs, 1, attributes).front();
}

void Graph::add_named(std::string_view kind, const std::vector<Name>& inputs, const Name& output,
                      const std::vector<Message>& attributes) {
  add_node(kind, inputs, {output}, attributes);
}

Name Graph::gemm(const Name& x, const Name& matrix, const Name& bias) {
  std::vector<Name> inputs = {x, matrix};
  if (!bias.empty()) inputs.push_back(bias);
  return op("Gemm", inputs, {attribute("transB", std::int64_t{1})});
}

Name Graph::columns(const Name& matrix, std::int64_t from, std::int64_t to) {
  const auto one = [&](std::string_view hint, std::int64_t value) {
    return initializers_->ints(hint, {1}, {&value, 1});
  };
  return op("Slice", {matrix, one("from", from), one("to", to), one("axis", 1)});
}

Name Graph::squeeze(const Name& value, std::int64_t axis) {
  return op("Squeeze", {value, initializers_->ints("axis", {1}, {&axis, 1})});
}

Name Graph::unsqueeze(const Name& value, std::int64_t axis) {
  return op("Unsqueeze", {value, initializers_->ints("axis", {1}, {&axis, 1})});
}

Name Graph::sum(const Name& value, std::int64_t axis) {
  return op("ReduceSum", {value, initializers_->ints("axis", {1}, {&axis, 1})});
}

void Graph::add_input(const ValueInfo& value) { inputs_.push_back(to_message(value)); }

void Graph::add_output(const ValueInfo& value) { outputs_.push_back(to_message(value)); }

Message Graph::message(std::string_view name, Kind kind) const {
  Message graph;
  for (const Message& node : nodes_) graph.add(kGraphNode, node);
  graph.add(kGraphName, name);
  if (kind == Kind::main) {
    for (const Message& constant : initializers_->messages()) graph.add(kGraphConstant, constant);
  }
  for (const Message& input : inputs_) graph.add(kGraphInput, input);
  for (const Message& output : outputs_) graph.add(kGraphOutput, output);
  return graph;
}

}  // namespace skim::onnx
