#include "train/process_group.h"

#include <netdb.h>
#include <sys/socket.h>

#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "base/file_descriptor.h"
#include "base/result_macros.h"
#include "train/gloo.h"

namespace skim::train {
namespace {

using Milliseconds = std::chrono::milliseconds;

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

// The address of the interface by which this machine reaches `host`, which the other processes can
// reach. The machine's own host name may resolve to another one.
std::string local_address_towards(const std::string& host, int port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) return host;
  std::string address = host;
  for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
    const FileDescriptor socket(::socket(each->ai_family, each->ai_socktype, each->ai_protocol));
    sockaddr_storage storage{};
    socklen_t size = sizeof storage;
    // Connecting a datagram socket sends nothing: it asks the kernel for the route.
    if (!socket || connect(socket.number(), each->ai_addr, each->ai_addrlen) != 0 ||
        getsockname(socket.number(), reinterpret_cast<sockaddr*>(&storage), &size) != 0)
      continue;
    char text[NI_MAXHOST];
    if (getnameinfo(reinterpret_cast<sockaddr*>(&storage), size, text, sizeof text, nullptr, 0,
                    NI_NUMERICHOST) != 0)
      continue;
    address = text;
    break;
  }
  freeaddrinfo(found);
  return address;
}

class GlooProcessGroup final : public ProcessGroup {
 public:
  GlooProcessGroup(const Rendezvous& rendezvous, Milliseconds timeout) : rendezvous_(rendezvous) {
    c10d::TCPStoreOptions options;
    options.port = static_cast<std::uint16_t>(rendezvous.port);
    options.isServer = rendezvous.rank == 0;
    options.numWorkers = static_cast<std::size_t>(rendezvous.size);
    options.timeout = timeout;
    store_ = c10::make_intrusive<c10d::TCPStore>(rendezvous.address, options);
    auto gloo = c10d::ProcessGroupGloo::Options::create(timeout);
    const char* interface = std::getenv("GLOO_SOCKET_IFNAME");
    gloo->devices.push_back(interface != nullptr
                                ? c10d::ProcessGroupGloo::createDeviceForInterface(interface)
                                : c10d::ProcessGroupGloo::createDeviceForHostname(
                                      local_address_towards(rendezvous.address, rendezvous.port)));
    gloo_ =
        c10::make_intrusive<c10d::ProcessGroupGloo>(store_, rendezvous.rank, rendezvous.size, gloo);
  }

  int rank() const override { return rendezvous_.rank; }
  int size() const override { return rendezvous_.size; }
  void all_reduce(std::vector<float>& values) override { all_reduce_values(values, torch::kFloat); }
  void all_reduce(std::vector<double>& values) override {
    all_reduce_values(values, torch::kDouble);
  }

  void broadcast(std::vector<std::byte>& bytes) override {
    std::vector<std::int64_t> count = {static_cast<std::int64_t>(bytes.size())};
    broadcast_values(count.data(), 1, torch::kLong);
    bytes.resize(static_cast<std::size_t>(count[0]));
    if (!bytes.empty()) broadcast_values(bytes.data(), count[0], torch::kByte);
  }

 private:
  template <class T>
  void all_reduce_values(std::vector<T>& values, torch::ScalarType type) {
    std::vector<torch::Tensor> tensors = {tensor_over(values.data(), values.size(), type)};
    rethrow_as_peer_lost([&] { gloo_->allreduce(tensors)->wait(); });
  }
  void broadcast_values(void* values, std::int64_t count, torch::ScalarType type) {
    std::vector<torch::Tensor> tensors = {
        tensor_over(values, static_cast<std::size_t>(count), type)};
    rethrow_as_peer_lost([&] { gloo_->broadcast(tensors)->wait(); });
  }
  static torch::Tensor tensor_over(void* values, std::size_t count, torch::ScalarType type) {
    return torch::from_blob(values, {static_cast<std::int64_t>(count)}, type);
  }

  template <class Call>
  void rethrow_as_peer_lost(Call call) {
    try {
      call();
    } catch (const std::exception& error) {
      const std::string_view why = error.what();
      throw PeerLost("process " + std::to_string(rendezvous_.rank) + " of " +
                     std::to_string(rendezvous_.size) + " lost another process (" +
                     std::string(why.substr(0, why.find('\n'))) + ")");
    }
  }

  Rendezvous rendezvous_;
  c10::intrusive_ptr<c10d::TCPStore> store_;
  c10::intrusive_ptr<c10d::ProcessGroupGloo> gloo_;
};

}  // namespace

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

Result<std::unique_ptr<ProcessGroup>> join(const Rendezvous& rendezvous, double timeout_seconds) {
  if (rendezvous.size == 1) return std::make_unique<ProcessGroup>();
  try {
    return std::make_unique<GlooProcessGroup>(
        rendezvous, Milliseconds(static_cast<long>(1000 * timeout_seconds)));
  } catch (const std::exception& error) {
    const std::string_view why = error.what();
    return fail(Fault::io, "process " + std::to_string(rendezvous.rank) + " of " +
                               std::to_string(rendezvous.size) +
                               " could not connect to the others at " + rendezvous.address + ":" +
                               std::to_string(rendezvous.port) + " (" +
                               std::string(why.substr(0, why.find('\n'))) + ")");
  }
}

}  // namespace skim::train
