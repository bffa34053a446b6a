// Builder for ONNX graphs: nodes, initializers, subgraphs. Independent of the model.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interchange/protobuf.h"

namespace skim::onnx {

using Name = std::string;  // of a value

// Element types with their numbers in onnx.proto.
enum class ElementType : std::int64_t { float32 = 1, int64 = 7, boolean = 9 };

// A dynamic dimension: the number of words.
inline constexpr std::int64_t kDynamicSize = -1;

// An input or output of a graph.
struct ValueInfo {
  Name name;
  ElementType type = ElementType::float32;
  std::vector<std::int64_t> shape;
};

// State shared by the graphs of one model: unique names, and the initializers of the main graph.
class Initializers {
 public:
  Name unique_name(std::string_view hint);
  // Uses `name` as it is; values are row-major.
  Name floats(Name name, const std::vector<std::size_t>& shape, std::span<const float> values);
  Name floats(std::string_view hint, const std::vector<std::size_t>& shape, float value);
  Name ints(std::string_view hint, const std::vector<std::size_t>& shape,
            std::span<const std::int64_t> values);
  Name int_scalar(std::string_view hint, std::int64_t value) { return ints(hint, {}, {&value, 1}); }

  const std::vector<Message>& messages() const { return messages_; }

 private:
  Name add(Name name, const std::vector<std::size_t>& shape, ElementType type,
           std::span<const std::byte> bytes);

  std::vector<Message> messages_;
  int count_ = 0;
};

class Graph;

// Node attributes.
Message attribute(std::string_view name, std::int64_t value);
Message attribute(std::string_view name, const std::vector<std::int64_t>& values);
Message attribute(std::string_view name, const Graph& graph);

class Graph {
 public:
  // `initializers` must outlive the graph.
  explicit Graph(Initializers& initializers) : initializers_(&initializers) {}

  Initializers& initializers() { return *initializers_; }

  // Adds a node with one output, or with several; returns generated output names.
  Name op(std::string_view kind, const std::vector<Name>& inputs,
          const std::vector<Message>& attributes = {});
  std::vector<Name> ops(std::string_view kind, const std::vector<Name>& inputs, std::size_t outputs,
                        const std::vector<Message>& attributes = {});
  // Adds a node with a given output name, for outputs of the model.
  void add_named(std::string_view kind, const std::vector<Name>& inputs, const Name& output,
                 const std::vector<Message>& attributes = {});

  // x * matrix^T + bias, with matrix [outputs, inputs]; no bias when its name is empty.
  Name gemm(const Name& x, const Name& matrix, const Name& bias);
  // Columns [from, to) of a matrix.
  Name columns(const Name& matrix, std::int64_t from, std::int64_t to);
  Name squeeze(const Name& value, std::int64_t axis);
  Name unsqueeze(const Name& value, std::int64_t axis);
  Name sum(const Name& value, std::int64_t axis);  // keeps the axis

  void add_input(const ValueInfo& value);
  void add_output(const ValueInfo& value);

  // The main graph holds the initializers.
  enum class Kind { main, subgraph };
  Message message(std::string_view name, Kind kind) const;

 private:
  void add_node(std::string_view kind, const std::vector<Name>& inputs,
                const std::vector<Name>& outputs, const std::vector<Message>& attributes);

  Initializers* initializers_;
  std::vector<Message> nodes_, inputs_, outputs_;
};

}  // namespace skim::onnx
