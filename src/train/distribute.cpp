#include "train/distribute.h"

#include <netdb.h>
#include <sys/socket.h>

#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "base/descriptor.h"
#include "train/gloo.h"

namespace skim::train {
namespace {

using Milliseconds = std::chrono::milliseconds;

Result<int> number_from_environment(const char* name, int least, int most) {
  const char* text = std::getenv(name);
  if (text == nullptr)
    return fail(Fault::argument,
                std::string("WORLD_SIZE is set, but ") + name +
                    " is not; a launcher sets both (tools/launch does, and torchrun)");
  int value = 0;
  const char* end = text + std::strlen(text);
  const auto parsed = std::from_chars(text, end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end || value < least || value > most)
    return fail(Fault::argument, std::string(name) + "=" + text + ": must be a number from " +
                                     std::to_string(least) + " to " + std::to_string(most));
  return value;
}

// The address by which this machine reaches `host`, and so the one by which others of the group
// reach this machine. The host's own name may lead anywhere.
std::string own_address_towards(const std::string& host, int port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) return host;
  std::string own = host;
  for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
    const Descriptor socket(::socket(each->ai_family, each->ai_socktype, each->ai_protocol));
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    // Connecting a datagram socket sends nothing: it asks the kernel for the way.
    if (!socket || connect(socket.number(), each->ai_addr, each->ai_addrlen) != 0 ||
        getsockname(socket.number(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
      continue;
    char text[NI_MAXHOST];
    if (getnameinfo(reinterpret_cast<sockaddr*>(&address), size, text, sizeof text, nullptr, 0,
                    NI_NUMERICHOST) != 0)
      continue;
    own = text;
    break;
  }
  freeaddrinfo(found);
  return own;
}

class GlooGroup final : public Group {
 public:
  GlooGroup(const Meeting& meeting, Milliseconds patience) : meeting_(meeting) {
    c10d::TCPStoreOptions options;
    options.port = static_cast<std::uint16_t>(meeting.port);
    options.isServer = meeting.rank == 0;
    options.numWorkers = static_cast<std::size_t>(meeting.size);
    options.timeout = patience;
    store_ = c10::make_intrusive<c10d::TCPStore>(meeting.address, options);
    auto gloo = c10d::ProcessGroupGloo::Options::create(patience);
    const char* interface = std::getenv("GLOO_SOCKET_IFNAME");
    gloo->devices.push_back(interface != nullptr
                                ? c10d::ProcessGroupGloo::createDeviceForInterface(interface)
                                : c10d::ProcessGroupGloo::createDeviceForHostname(
                                      own_address_towards(meeting.address, meeting.port)));
    processes_ =
        c10::make_intrusive<c10d::ProcessGroupGloo>(store_, meeting.rank, meeting.size, gloo);
  }

  int rank() const override { return meeting_.rank; }
  int size() const override { return meeting_.size; }
  void sum(std::vector<float>& values) override { sum_of(values, torch::kFloat); }
  void sum(std::vector<double>& values) override { sum_of(values, torch::kDouble); }

  void share(std::vector<std::byte>& bytes) override {
    std::vector<std::int64_t> count = {static_cast<std::int64_t>(bytes.size())};
    share_of(count.data(), 1, torch::kLong);
    bytes.resize(static_cast<std::size_t>(count[0]));
    if (!bytes.empty()) share_of(bytes.data(), count[0], torch::kByte);
  }

 private:
  template <class T>
  void sum_of(std::vector<T>& values, torch::ScalarType type) {
    std::vector<torch::Tensor> tensors = {tensor_over(values.data(), values.size(), type)};
    guarded([&] { processes_->allreduce(tensors)->wait(); });
  }
  void share_of(void* values, std::int64_t count, torch::ScalarType type) {
    std::vector<torch::Tensor> tensors = {
        tensor_over(values, static_cast<std::size_t>(count), type)};
    guarded([&] { processes_->broadcast(tensors)->wait(); });
  }
  static torch::Tensor tensor_over(void* values, std::size_t count, torch::ScalarType type) {
    return torch::from_blob(values, {static_cast<std::int64_t>(count)}, type);
  }

  template <class Call>
  void guarded(Call call) {
    try {
      call();
    } catch (const std::exception& error) {
      const std::string_view why = error.what();
      throw GroupLost("process " + std::to_string(meeting_.rank) + " of " +
                      std::to_string(meeting_.size) + " lost another one (" +
                      std::string(why.substr(0, why.find('\n'))) + ")");
    }
  }

  Meeting meeting_;
  c10::intrusive_ptr<c10d::TCPStore> store_;
  c10::intrusive_ptr<c10d::ProcessGroupGloo> processes_;
};

}  // namespace

Result<Meeting> meeting_from_environment() {
  Meeting meeting;
  if (std::getenv("WORLD_SIZE") == nullptr) return meeting;
  const Result<int> size = number_from_environment("WORLD_SIZE", 1, 4096);
  if (!size) return tl::unexpected(size.error());
  const Result<int> rank = number_from_environment("RANK", 0, *size - 1);
  if (!rank) return tl::unexpected(rank.error());
  meeting.size = *size;
  meeting.rank = *rank;
  if (*size == 1) return meeting;
  const Result<int> port = number_from_environment("MASTER_PORT", 1, 65535);
  if (!port) return tl::unexpected(port.error());
  const char* address = std::getenv("MASTER_ADDR");
  if (address == nullptr || *address == '\0')
    return fail(Fault::argument, "MASTER_ADDR is not set: where the process of rank 0 runs");
  meeting.port = *port;
  meeting.address = address;
  if (std::getenv("LOCAL_WORLD_SIZE") != nullptr) {
    const Result<int> here = number_from_environment("LOCAL_WORLD_SIZE", 1, *size);
    if (!here) return tl::unexpected(here.error());
    meeting.here = *here;
  }
  return meeting;
}

Result<std::unique_ptr<Group>> join(const Meeting& meeting, double seconds) {
  if (meeting.size == 1) return std::make_unique<Group>();
  try {
    return std::make_unique<GlooGroup>(meeting, Milliseconds(static_cast<long>(1000 * seconds)));
  } catch (const std::exception& error) {
    const std::string_view why = error.what();
    return fail(Fault::io, "process " + std::to_string(meeting.rank) + " of " +
                               std::to_string(meeting.size) + " could not meet the others at " +
                               meeting.address + ":" + std::to_string(meeting.port) + " (" +
                               std::string(why.substr(0, why.find('\n'))) + ")");
  }
}

}  // namespace skim::train
