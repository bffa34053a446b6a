// Asks a server over many connections at once and prints what it saw as one JSON object.
//   load PORT CONNECTIONS SECONDS RATE FILE
// FILE has one JSON body a line. RATE 0 asks again on each connection as soon as it is answered;
// else so many requests a second fall due evenly, whether or not the server keeps up, and a request
// is timed from when it fell due.
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

struct Plan {
  std::uint16_t port = 0;
  std::size_t connections = 1;
  double seconds = 1;
  double rate = 0;
  std::vector<std::string> requests;
};

struct Connection {
  int socket = -1;
  std::string got;
  Clock::time_point due;
};

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "load: %s\n", why.c_str());
  std::exit(1);
}

Plan plan_from(char** arguments) {
  Plan plan;
  plan.port = static_cast<std::uint16_t>(std::atoi(arguments[1]));
  plan.connections = static_cast<std::size_t>(std::atoi(arguments[2]));
  plan.seconds = std::atof(arguments[3]);
  plan.rate = std::atof(arguments[4]);
  std::ifstream file(arguments[5]);
  for (std::string body; std::getline(file, body);) {
    plan.requests.push_back(
        "POST /v1/read HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        "Content-Length: " +
        std::to_string(body.size()) + "\r\n\r\n" + body);
  }
  if (plan.requests.empty()) give_up(std::string(arguments[5]) + " has no bodies");
  return plan;
}

class Load {
 public:
  explicit Load(const Plan& plan)
      : plan_(plan), epoll_(::epoll_create1(0)), connections_(plan.connections) {}

  void run() {
    begin_ = Clock::now();
    const auto end = begin_ + std::chrono::duration_cast<Clock::duration>(
                                  std::chrono::duration<double>(plan_.seconds));
    for (std::size_t i = 0; i < connections_.size(); ++i) {
      open(i);
      idle_.push_back(i);
    }
    std::array<epoll_event, 256> events{};
    while (Clock::now() < end) {
      ask_what_is_due();
      const timespec wait = until_due();
      const int count = ::epoll_pwait2(epoll_, events.data(), events.size(), &wait, nullptr);
      for (int i = 0; i < count; ++i) take(events.at(static_cast<std::size_t>(i)).data.u64);
    }
    took_ = std::chrono::duration<double>(Clock::now() - begin_).count();
  }

  void print() {
    std::sort(latencies_.begin(), latencies_.end());
    const auto at = [&](double share) {
      if (latencies_.empty()) return 0.0;
      const auto last = static_cast<double>(latencies_.size() - 1);
      return latencies_[static_cast<std::size_t>(share * last)];
    };
    std::string statuses;
    for (const auto& [status, count] : statuses_) {
      statuses += (statuses.empty() ? "" : ", ") + ("\"" + std::to_string(status) + "\": ") +
                  std::to_string(count);
    }
    std::printf(
        "{\"seconds\": %.3f, \"answers\": %zu, \"per_second\": %.1f, \"lost\": %zu, "
        "\"p50_ms\": %.3f, \"p99_ms\": %.3f, \"max_ms\": %.3f, \"statuses\": {%s}}\n",
        took_, latencies_.size(), static_cast<double>(latencies_.size()) / took_, lost_, at(0.5),
        at(0.99), at(1), statuses.c_str());
  }

 private:
  void open(std::size_t i) {
    Connection& connection = connections_[i];
    connection.socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(plan_.port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(connection.socket, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
      give_up("cannot connect");
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
    connections_[i].got.clear();
    open(i);
    idle_.push_back(i);
  }

  Clock::time_point next_due() const {
    const std::chrono::duration<double> after(static_cast<double>(asked_) / plan_.rate);
    return begin_ + std::chrono::duration_cast<Clock::duration>(after);
  }

  // How long to sleep: the server needs the processor more than this program does.
  timespec until_due() const {
    constexpr long kMost = 10'000'000;
    if (plan_.rate <= 0 || idle_.empty()) return {0, kMost};
    const std::chrono::nanoseconds left = next_due() - Clock::now();
    return {0, std::clamp(static_cast<long>(left.count()), 0L, kMost)};
  }

  void ask_what_is_due() {
    const auto now = Clock::now();
    while (!idle_.empty()) {
      const auto due = plan_.rate > 0 ? next_due() : now;
      if (due > now) return;
      const std::size_t i = idle_.front();
      idle_.pop_front();
      const std::string& request = plan_.requests[asked_++ % plan_.requests.size()];
      connections_[i].due = due;
      const ssize_t sent =
          ::send(connections_[i].socket, request.data(), request.size(), MSG_NOSIGNAL);
      if (sent != static_cast<ssize_t>(request.size())) {
        ++lost_;
        reopen(i);
      }
    }
  }

  void take(std::size_t i) {
    Connection& connection = connections_[i];
    std::array<char, 65536> piece;
    const ssize_t count = ::recv(connection.socket, piece.data(), piece.size(), 0);
    if (count <= 0) {
      ++lost_;
      return reopen(i);
    }
    connection.got.append(piece.data(), static_cast<std::size_t>(count));
    const std::size_t head = connection.got.find("\r\n\r\n");
    const std::size_t length = connection.got.find("Content-Length: ");
    if (head == std::string::npos || length > head) return;
    const auto body = std::strtoul(connection.got.c_str() + length + 16, nullptr, 10);
    if (connection.got.size() < head + 4 + body) return;
    const std::chrono::duration<double, std::milli> taken = Clock::now() - connection.due;
    latencies_.push_back(taken.count());
    ++statuses_[std::atoi(connection.got.c_str() + 9)];
    const std::size_t close = connection.got.find("Connection: close");
    connection.got.clear();
    if (close < head) return reopen(i);
    idle_.push_back(i);
  }

  const Plan& plan_;
  int epoll_;
  std::vector<Connection> connections_;
  std::deque<std::size_t> idle_;
  Clock::time_point begin_;
  double took_ = 0;
  std::size_t asked_ = 0, lost_ = 0;
  std::vector<double> latencies_;
  std::map<int, std::size_t> statuses_;
};

}  // namespace

int main(int count, char** arguments) {
  if (count != 6) give_up("usage: load PORT CONNECTIONS SECONDS RATE FILE");
  const Plan plan = plan_from(arguments);
  Load load(plan);
  load.run();
  load.print();
}
