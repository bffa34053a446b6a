#include "train/process_group.h"

#include <netdb.h>
#include <sys/socket.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>

#include "base/file_descriptor.h"
#include "train/gloo.h"

namespace skim::train {
namespace {

using Milliseconds = std::chrono::milliseconds;

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

class RendezvousFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The connections between all processes. Gloo's own rendezvous needs a store that all processes can
// reach; c10d's is a server that a single connection of another program blocks for ever.
class Mesh final : public gloo::Context {
 public:
  Mesh(const Rendezvous& rendezvous, const Patience& patience)
      : gloo::Context(rendezvous.rank, rendezvous.size) {
    setTimeout(Milliseconds(static_cast<long>(1000 * patience.seconds)));
    device_ = make_device(rendezvous);
    transportContext_ = device_->createContext(rank, size);
    transportContext_->setTimeout(getTimeout());
    const Result<std::vector<std::string>> addresses =
        exchange(rendezvous, make_own_addresses(), patience);
    if (!addresses) throw RendezvousFailed(addresses.error().message);
    for (int peer = 0; peer < size; ++peer)
      if (peer != rank) connect(peer, (*addresses)[static_cast<std::size_t>(peer)]);
  }

 private:
  static std::shared_ptr<gloo::transport::Device> make_device(const Rendezvous& rendezvous) {
    gloo::transport::tcp::attr attributes;
    if (const char* interface = std::getenv("GLOO_SOCKET_IFNAME"))
      attributes.iface = interface;
    else
      attributes.hostname = local_address_towards(rendezvous.address, rendezvous.port);
    return gloo::transport::tcp::CreateDevice(attributes);
  }

  // Opens a port for every other process; their addresses, which are of equal size, by rank.
  std::string make_own_addresses() {
    std::string all;
    for (int peer = 0; peer < size; ++peer) {
      if (peer == rank) continue;
      const auto& pair = transportContext_->createPair(peer);
      pair->setLocalRank(rank);
      const std::vector<char> address = pair->address().bytes();
      all.append(address.begin(), address.end());
    }
    return all;
  }

  // Connects to the address that `peer` has opened for this process.
  void connect(int peer, const std::string& addresses) {
    const std::size_t address_size = addresses.size() / static_cast<std::size_t>(size - 1);
    const auto index = static_cast<std::size_t>(rank < peer ? rank : rank - 1);
    const std::string address = addresses.substr(index * address_size, address_size);
    getPair(peer)->connect({address.begin(), address.end()});
  }
};

class GlooProcessGroup final : public ProcessGroup {
 public:
  GlooProcessGroup(const Rendezvous& rendezvous, const Patience& patience)
      : mesh_(std::make_shared<Mesh>(rendezvous, patience)) {}

  int rank() const override { return mesh_->rank; }
  int size() const override { return mesh_->size; }
  void all_reduce(std::vector<float>& values) override { all_reduce_values(values); }
  void all_reduce(std::vector<double>& values) override { all_reduce_values(values); }

  void broadcast(std::vector<std::byte>& bytes) override {
    std::uint64_t count = bytes.size();
    broadcast_bytes(reinterpret_cast<char*>(&count), sizeof count);
    bytes.resize(count);
    if (!bytes.empty()) broadcast_bytes(reinterpret_cast<char*>(bytes.data()), bytes.size());
  }

 private:
  template <class T>
  void all_reduce_values(std::vector<T>& values) {
    rethrow_as_peer_lost([&] {
      gloo::AllreduceOptions options(mesh_);
      options.setOutput(values.data(), values.size());
      options.setReduceFunction([](void* sums, const void* left, const void* right,
                                   std::size_t count) { gloo::sum<T>(sums, left, right, count); });
      options.setTag(tag_++);
      gloo::allreduce(options);
    });
  }
  void broadcast_bytes(char* bytes, std::size_t count) {
    rethrow_as_peer_lost([&] {
      gloo::BroadcastOptions options(mesh_);
      options.setOutput(bytes, count);
      options.setRoot(0);
      options.setTag(tag_++);
      gloo::broadcast(options);
    });
  }

  template <class Call>
  void rethrow_as_peer_lost(Call call) {
    try {
      call();
    } catch (const std::exception& error) {
      const std::string_view why = error.what();
      throw PeerLost("process " + std::to_string(rank()) + " of " + std::to_string(size()) +
                     " lost another process (" + std::string(why.substr(0, why.find('\n'))) + ")");
    }
  }

  std::shared_ptr<Mesh> mesh_;
  std::uint32_t tag_ = 0;  // differs between operations that may be in progress at the same time
};

}  // namespace

Result<std::unique_ptr<ProcessGroup>> join(const Rendezvous& rendezvous, const Patience& patience) {
  if (rendezvous.size == 1) return std::make_unique<ProcessGroup>();
  const std::string who = "process " + std::to_string(rendezvous.rank) + " of " +
                          std::to_string(rendezvous.size) + " could not connect to the others";
  try {
    return std::make_unique<GlooProcessGroup>(rendezvous, patience);
  } catch (const RendezvousFailed& failed) {
    return fail(Fault::io, who + ": " + failed.what());
  } catch (const std::exception& error) {
    const std::string_view why = error.what();
    return fail(Fault::io, who + " (" + std::string(why.substr(0, why.find('\n'))) + ")");
  }
}

}  // namespace skim::train
