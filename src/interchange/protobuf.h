// Writes protobuf messages, as far as ONNX files need them: whole numbers, floats, bytes, and
// messages inside messages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace skim {

// The bytes of one message. Fields stand in the order in which they are added; one that is added
// again is repeated.
class Message {
 public:
  // A negative number goes as its two's complement, in ten bytes.
  Message& add(int field, std::int64_t value);
  Message& add(int field, float value);
  Message& add(int field, std::string_view bytes);
  Message& add(int field, const Message& message) {
    return add(field, std::string_view(message.bytes_));
  }
  // A string literal would become a number or nothing without it.
  Message& add(int field, const char* text) { return add(field, std::string_view(text)); }
  Message& add(int field, const std::string& text) { return add(field, std::string_view(text)); }

  std::string_view bytes() const { return bytes_; }
  std::string take() { return std::move(bytes_); }

 private:
  void put(std::uint64_t number);

  std::string bytes_;
};

}  // namespace skim
