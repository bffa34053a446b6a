// Builds ONNX graphs: nodes, constants, graphs inside nodes. Knows the file format, nothing of
// readers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interchange/protobuf.h"

namespace skim::onnx {

using Name = std::string;  // of a value: what a node puts out and others take

enum class Element : std::int64_t { real = 1, whole = 7, yes_no = 9 };

// An extent that is known only when the graph runs: as many as the text has words.
inline constexpr std::int64_t kWords = -1;

// A value that enters or leaves a graph.
struct Port {
  Name name;
  Element element = Element::real;
  std::vector<std::int64_t> extents;
};

// What the graphs of one model share: fresh names, and constants, which all stand in the outermost
// graph.
class Constants {
 public:
  Name fresh(std::string_view hint);
  // The name is taken as it is; values are row-major.
  Name reals(Name name, const std::vector<std::size_t>& shape, std::span<const float> values);
  Name reals(std::string_view hint, const std::vector<std::size_t>& shape, float value);
  Name wholes(std::string_view hint, const std::vector<std::size_t>& shape,
              std::span<const std::int64_t> values);
  Name whole(std::string_view hint, std::int64_t value) { return wholes(hint, {}, {&value, 1}); }

  const std::vector<Message>& messages() const { return messages_; }

 private:
  Name add(Name name, const std::vector<std::size_t>& shape, Element element,
           std::span<const std::byte> bytes);

  std::vector<Message> messages_;
  int count_ = 0;
};

class Graph;

// An attribute of a node.
Message attribute(std::string_view name, std::int64_t value);
Message attribute(std::string_view name, const std::vector<std::int64_t>& values);
Message attribute(std::string_view name, const Graph& graph);

class Graph {
 public:
  // `constants` outlives the graph.
  explicit Graph(Constants& constants) : constants_(&constants) {}

  Constants& constants() { return *constants_; }

  // A node with one output, or with several; the outputs are named after the operator.
  Name op(std::string_view kind, const std::vector<Name>& inputs,
          const std::vector<Message>& attributes = {});
  std::vector<Name> ops(std::string_view kind, const std::vector<Name>& inputs, std::size_t outputs,
                        const std::vector<Message>& attributes = {});
  // A node whose output has the name that users know.
  void name_output(std::string_view kind, const std::vector<Name>& inputs, const Name& output,
                   const std::vector<Message>& attributes = {});

  // x times the transposed matrix (outputs x inputs), plus the bias unless its name is empty.
  Name dense(const Name& x, const Name& matrix, const Name& bias);
  // Columns [from, to) of a matrix.
  Name columns(const Name& matrix, std::int64_t from, std::int64_t to);
  Name squeeze(const Name& value, std::int64_t axis);
  Name unsqueeze(const Name& value, std::int64_t axis);
  Name sum(const Name& value, std::int64_t axis);  // the axis stays, with one entry

  void add_input(const Port& port);
  void add_output(const Port& port);

  // The outermost graph holds the constants.
  enum class Place { outermost, inside };
  Message message(std::string_view name, Place place) const;

 private:
  void add_node(std::string_view kind, const std::vector<Name>& inputs,
                const std::vector<Name>& outputs, const std::vector<Message>& attributes);

  Constants* constants_;
  std::vector<Message> nodes_, inputs_, outputs_;
};

}  // namespace skim::onnx
