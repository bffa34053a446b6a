// Protobuf writer for ONNX files: varints, floats, bytes and nested messages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace skim {

// A serialized message. Fields keep the order in which they are added; adding one again repeats it.
class Message {
 public:
  // Negative numbers are encoded as two's complement in ten bytes.
  Message& add(int field, std::int64_t value);
  Message& add(int field, float value);
  Message& add(int field, std::string_view bytes);
  Message& add(int field, const Message& message) {
    return add(field, std::string_view(message.bytes_));
  }
  // Overloads that keep string literals from converting to other types.
  Message& add(int field, const char* text) { return add(field, std::string_view(text)); }
  Message& add(int field, const std::string& text) { return add(field, std::string_view(text)); }

  std::string_view bytes() const { return bytes_; }
  std::string take() { return std::move(bytes_); }

 private:
  void put_varint(std::uint64_t number);

  std::string bytes_;
};

}  // namespace skim
