#include "train/rendezvous.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/result_macros.h"
#include "train/rendezvous_frame.h"
#include "train/rendezvous_host.h"

namespace skim::train {
namespace {

constexpr std::size_t kMaxReplySize = std::size_t{1} << 30;

Result<int> number_from_environment(const char* name, int min, int max) {
  const char* text = std::getenv(name);
  if (text == nullptr)
    return fail(Fault::argument,
                std::string("WORLD_SIZE is set, but ") + name +
                    " is not; launchers such as tools/launch and torchrun set both");
  int value = 0;
  const char* end = text + std::strlen(text);
  const auto parsed = std::from_chars(text, end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end || value < min || value > max)
    return fail(Fault::argument, std::string(name) + "=" + text + ": expected a number from " +
                                     std::to_string(min) + " to " + std::to_string(max));
  return value;
}

// The side of the other processes. Tries again until rank 0 listens.
class RendezvousGuest {
 public:
  RendezvousGuest(const Rendezvous& rendezvous, const std::string& message,
                  const Patience& patience)
      : rendezvous_(rendezvous),
        place_(rendezvous.address + ":" + std::to_string(rendezvous.port)),
        patience_(patience),
        deadline_(patience) {
    std::string payload;
    append_number(payload, static_cast<std::uint32_t>(rendezvous.size));
    append_number(payload, static_cast<std::uint32_t>(rendezvous.rank));
    hello_ = std::string(kHelloMagic) + frame_body(payload + message);
  }

  Result<std::vector<std::string>> run() {
    std::string trouble = "nobody listens at " + place_;
    while (!deadline_.passed()) {
      SKIM_ASSIGN_OR_RETURN(const auto socket,
                            try_connect(rendezvous_.address, rendezvous_.port, deadline_));
      if (socket) {
        SKIM_ASSIGN_OR_RETURN(const bool replied, talk(*socket, trouble));
        if (replied) return parse_reply();
      }
      deadline_.pause();
    }
    if (deadline_.stopped()) return fail(Fault::io, "stopped");
    return fail(Fault::io, trouble + patience_.text());
  }

 private:
  // Sets `reply_`; false, with the reason in `trouble`, when another attempt may help.
  Result<bool> talk(const FileDescriptor& socket, std::string& trouble) {
    trouble = "a program at " + place_ + " accepts connections, but does not answer";
    if (!send_all(socket, hello_, deadline_)) return false;
    std::string received;
    while (wait_readable(socket, deadline_)) {
      const bool open = receive_available(socket, received);
      std::string_view payload;
      switch (parse_frame(received, kReplyMagic, kMaxReplySize, payload)) {
        case FrameState::complete:
          reply_ = payload;
          return true;
        case FrameState::foreign:
          return fail(Fault::io, "the program at " + place_ +
                                     " is not the process of rank 0 of this training; set "
                                     "MASTER_PORT to a port that no other program uses");
        case FrameState::incomplete:
          break;
      }
      if (!open) {
        trouble = "the program at " + place_ + " closes connections without an answer";
        return false;
      }
      if (received.size() >= kReplyMagic.size())
        trouble = "the process of rank 0 at " + place_ + " waits for other processes";
    }
    return false;
  }

  Result<std::vector<std::string>> parse_reply() const {
    std::string_view reply = reply_;
    const bool accepted = reply.starts_with('m');
    reply = reply.substr(std::min<std::size_t>(1, reply.size()));
    if (!accepted) return fail(Fault::io, std::string(reply));
    std::vector<std::string> messages;
    std::uint32_t size = 0;
    while (take_number(reply, size) && size <= reply.size()) {
      messages.emplace_back(reply.substr(0, size));
      reply.remove_prefix(size);
    }
    if (messages.size() == static_cast<std::size_t>(rendezvous_.size)) return messages;
    return fail(Fault::io, "the reply of the process of rank 0 at " + place_ + " is damaged");
  }

  const Rendezvous& rendezvous_;
  std::string place_, hello_, reply_;
  const Patience& patience_;
  Deadline deadline_;
};

}  // namespace

std::string Patience::text() const {
  char number[32];
  std::snprintf(number, sizeof number, "%g", seconds);
  return std::string("; waited ") + number + " s (--group-timeout)";
}

Result<Rendezvous> rendezvous_from_environment() {
  Rendezvous rendezvous;
  if (std::getenv("WORLD_SIZE") == nullptr) return rendezvous;
  SKIM_ASSIGN_OR_RETURN(rendezvous.size, number_from_environment("WORLD_SIZE", 1, 4096));
  SKIM_ASSIGN_OR_RETURN(rendezvous.rank, number_from_environment("RANK", 0, rendezvous.size - 1));
  if (rendezvous.size == 1) return rendezvous;
  SKIM_ASSIGN_OR_RETURN(rendezvous.port, number_from_environment("MASTER_PORT", 1, 65535));
  const char* address = std::getenv("MASTER_ADDR");
  if (address == nullptr || *address == '\0')
    return fail(Fault::argument,
                "MASTER_ADDR is not set, expected the address of the process of rank 0");
  rendezvous.address = address;
  if (std::getenv("LOCAL_WORLD_SIZE") != nullptr) {
    SKIM_ASSIGN_OR_RETURN(rendezvous.local_size,
                          number_from_environment("LOCAL_WORLD_SIZE", 1, rendezvous.size));
  }
  return rendezvous;
}

Result<std::vector<std::string>> exchange(const Rendezvous& rendezvous, const std::string& message,
                                          const Patience& patience) {
  if (rendezvous.rank > 0) return RendezvousGuest(rendezvous, message, patience).run();
  SKIM_ASSIGN_OR_RETURN(FileDescriptor listener, listen_at(rendezvous.address, rendezvous.port));
  return RendezvousHost(rendezvous, std::move(listener), message).run(patience);
}

}  // namespace skim::train
