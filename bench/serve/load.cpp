// Load generator: sends requests over many connections and prints the statistics as one JSON
// object.
//   load PORT CONNECTIONS SECONDS RATE FILE
// FILE has one JSON body per line. RATE 0 is a closed loop: each connection sends its next request
// after the response. Otherwise it is an open loop: RATE requests per second are due at even
// intervals, whether or not the server keeps up, and latency is measured from the due time.
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  std::uint16_t port = 0;
  std::size_t connections = 1;
  double seconds = 1;
  double rate = 0;
  std::vector<std::string> requests;
};

struct Connection {
  int socket = -1;
  std::string received;
  Clock::time_point due;
};

[[noreturn]] void exit_with_error(const std::string& message) {
  std::fprintf(stderr, "load: %s\n", message.c_str());
  std::exit(1);
}

Options parse_options(char** arguments) {
  Options options;
  options.port = static_cast<std::uint16_t>(std::atoi(arguments[1]));
  options.connections = static_cast<std::size_t>(std::atoi(arguments[2]));
  options.seconds = std::atof(arguments[3]);
  options.rate = std::atof(arguments[4]);
  std::ifstream file(arguments[5]);
  for (std::string body; std::getline(file, body);) {
    options.requests.push_back(
        "POST /v1/read HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        "Content-Length: " +
        std::to_string(body.size()) + "\r\n\r\n" + body);
  }
  if (options.requests.empty())
    exit_with_error(std::string(arguments[5]) + ": expected one JSON body per line");
  return options;
}

class LoadGenerator {
 public:
  explicit LoadGenerator(const Options& options)
      : options_(options), epoll_(::epoll_create1(0)), connections_(options.connections) {}

  void run() {
    begin_ = Clock::now();
    const auto end = begin_ + std::chrono::duration_cast<Clock::duration>(
                                  std::chrono::duration<double>(options_.seconds));
    for (std::size_t i = 0; i < connections_.size(); ++i) {
      open(i);
      idle_.push_back(i);
    }
    std::array<epoll_event, 256> events{};
    while (Clock::now() < end) {
      send_due_requests();
      const timespec wait = time_until_due();
      const int count = ::epoll_pwait2(epoll_, events.data(), events.size(), &wait, nullptr);
      for (int i = 0; i < count; ++i) receive(events.at(static_cast<std::size_t>(i)).data.u64);
    }
    elapsed_ = std::chrono::duration<double>(Clock::now() - begin_).count();
  }

  void print() {
    std::sort(latencies_.begin(), latencies_.end());
    const auto quantile = [&](double q) {
      if (latencies_.empty()) return 0.0;
      const auto last = static_cast<double>(latencies_.size() - 1);
      return latencies_[static_cast<std::size_t>(q * last)];
    };
    std::string statuses;
    for (const auto& [status, count] : statuses_) {
      statuses += (statuses.empty() ? "" : ", ") + ("\"" + std::to_string(status) + "\": ") +
                  std::to_string(count);
    }
    std::printf(
        "{\"seconds\": %.3f, \"responses\": %zu, \"per_second\": %.1f, \"lost\": %zu, "
        "\"p50_ms\": %.3f, \"p99_ms\": %.3f, \"max_ms\": %.3f, \"statuses\": {%s}}\n",
        elapsed_, latencies_.size(), static_cast<double>(latencies_.size()) / elapsed_, num_lost_,
        quantile(0.5), quantile(0.99), quantile(1), statuses.c_str());
  }

 private:
  void open(std::size_t i) {
    Connection& connection = connections_[i];
    connection.socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(options_.port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(connection.socket, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
      exit_with_error("cannot connect");
    }
    const int yes = 1;
    ::setsockopt(connection.socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = i;
    ::epoll_ctl(epoll_, EPOLL_CTL_ADD, connection.socket, &event);
  }

  void reopen(std::size_t i) {
    ::close(connections_[i].socket);
    connections_[i].received.clear();
    open(i);
    idle_.push_back(i);
  }

  Clock::time_point next_due() const {
    const std::chrono::duration<double> after(static_cast<double>(num_requests_) / options_.rate);
    return begin_ + std::chrono::duration_cast<Clock::duration>(after);
  }

  // Sleeps until the next request is due: spinning would take CPU time from the server.
  timespec time_until_due() const {
    constexpr long kMaxNanoseconds = 10'000'000;
    if (options_.rate <= 0 || idle_.empty()) return {0, kMaxNanoseconds};
    const std::chrono::nanoseconds left = next_due() - Clock::now();
    return {0, std::clamp(static_cast<long>(left.count()), 0L, kMaxNanoseconds)};
  }

  void send_due_requests() {
    const auto now = Clock::now();
    while (!idle_.empty()) {
      const auto due = options_.rate > 0 ? next_due() : now;
      if (due > now) return;
      const std::size_t i = idle_.front();
      idle_.pop_front();
      const std::string& request = options_.requests[num_requests_++ % options_.requests.size()];
      connections_[i].due = due;
      const ssize_t sent =
          ::send(connections_[i].socket, request.data(), request.size(), MSG_NOSIGNAL);
      if (sent != static_cast<ssize_t>(request.size())) {
        ++num_lost_;
        reopen(i);
      }
    }
  }

  void receive(std::size_t i) {
    Connection& connection = connections_[i];
    std::array<char, 65536> buffer;
    const ssize_t count = ::recv(connection.socket, buffer.data(), buffer.size(), 0);
    if (count <= 0) {
      ++num_lost_;
      return reopen(i);
    }
    connection.received.append(buffer.data(), static_cast<std::size_t>(count));
    const std::size_t head = connection.received.find("\r\n\r\n");
    const std::size_t length = connection.received.find("Content-Length: ");
    if (head == std::string::npos || length > head) return;
    const auto body = std::strtoul(connection.received.c_str() + length + 16, nullptr, 10);
    if (connection.received.size() < head + 4 + body) return;
    const std::chrono::duration<double, std::milli> latency = Clock::now() - connection.due;
    latencies_.push_back(latency.count());
    ++statuses_[std::atoi(connection.received.c_str() + 9)];
    const std::size_t close = connection.received.find("Connection: close");
    connection.received.clear();
    if (close < head) return reopen(i);
    idle_.push_back(i);
  }

  const Options& options_;
  int epoll_;
  std::vector<Connection> connections_;
  std::deque<std::size_t> idle_;
  Clock::time_point begin_;
  double elapsed_ = 0;
  std::size_t num_requests_ = 0, num_lost_ = 0;
  std::vector<double> latencies_;
  std::map<int, std::size_t> statuses_;
};

}  // namespace

int main(int count, char** arguments) {
  if (count != 6) exit_with_error("usage: load PORT CONNECTIONS SECONDS RATE FILE");
  const Options options = parse_options(arguments);
  LoadGenerator load(options);
  load.run();
  load.print();
}
