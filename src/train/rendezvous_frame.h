// What the processes of a rendezvous send each other: a magic, a length and as many bytes. Numbers
// are in the byte order of the machine, as the floats that Gloo sends later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace skim::train {

// The first bytes of what is sent to rank 0, and of its reply. They differ, so that a process never
// takes an echo for a reply. Rank 0 sends the magic of the reply at once, and the rest when all
// processes have come.
inline constexpr std::string_view kHelloMagic = "skim-train-hello";
inline constexpr std::string_view kReplyMagic = "skim-train-reply";

void append_number(std::string& bytes, std::uint32_t number);
// Removes a number from the beginning; false when there are too few bytes.
bool take_number(std::string_view& bytes, std::uint32_t& number);

// The length and the bytes of a frame, without its magic.
std::string frame_body(std::string_view payload);

enum class FrameState { incomplete, complete, foreign };

// Parses what was received so far. Bytes that cannot become a frame of at most `max_size` bytes are
// foreign. `payload` is set when the frame is complete.
FrameState parse_frame(std::string_view received, std::string_view magic, std::size_t max_size,
                       std::string_view& payload);

}  // namespace skim::train
