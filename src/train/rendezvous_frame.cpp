#include "train/rendezvous_frame.h"

#include <algorithm>
#include <cstring>

namespace skim::train {

void append_number(std::string& bytes, std::uint32_t number) {
  char raw[sizeof number];
  std::memcpy(raw, &number, sizeof number);
  bytes.append(raw, sizeof number);
}

bool take_number(std::string_view& bytes, std::uint32_t& number) {
  if (bytes.size() < sizeof number) return false;
  std::memcpy(&number, bytes.data(), sizeof number);
  bytes.remove_prefix(sizeof number);
  return true;
}

std::string frame_body(std::string_view payload) {
  std::string bytes;
  append_number(bytes, static_cast<std::uint32_t>(payload.size()));
  return bytes.append(payload);
}

FrameState parse_frame(std::string_view received, std::string_view magic, std::size_t max_size,
                       std::string_view& payload) {
  const std::size_t known = std::min(received.size(), magic.size());
  if (received.substr(0, known) != magic.substr(0, known)) return FrameState::foreign;
  received.remove_prefix(known);
  std::uint32_t size = 0;
  if (!take_number(received, size)) return FrameState::incomplete;
  if (size > max_size || received.size() > size) return FrameState::foreign;
  if (received.size() < size) return FrameState::incomplete;
  payload = received;
  return FrameState::complete;
}

}  // namespace skim::train
