#include "server/server.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <thread>

#include "server/listener.h"
#include "tests/support/sample_server.h"

namespace skim::server {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

// A server on its own thread, stopped by the destructor.
class Server {
 public:
  explicit Server(Limits limits = {}) : options_{limits, {}, "https://example.org"} {
    auto listener = listen_at("127.0.0.1", 0);
    EXPECT_TRUE(listener);
    port_ = std::stoi(listener->address.substr(listener->address.find(':') + 1));
    thread_ = std::thread([this, socket = std::move(listener->socket)]() mutable {
      EXPECT_TRUE(serve({options_, models_, metrics_, log_, std::move(socket), stop_.number()}));
    });
  }
  ~Server() { wait(); }

  void stop() const {
    const std::uint64_t one = 1;
    EXPECT_EQ(::write(stop_.number(), &one, sizeof one), static_cast<ssize_t>(sizeof one));
  }
  void wait() {
    if (!thread_.joinable()) return;
    stop();
    thread_.join();
  }

  FileDescriptor connect() const {
    FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port_));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket.number(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    return socket;
  }
  const Metrics& metrics() const { return metrics_; }
  ModelRegistry& models() { return models_; }

 private:
  ServerOptions options_;
  ModelRegistry models_{sample_models(), 2};
  Metrics metrics_{{"first", "second"}};
  AccessLog log_{-1, metrics_};
  FileDescriptor stop_{::eventfd(0, EFD_CLOEXEC)};
  int port_ = 0;
  std::thread thread_;
};

void send_all(const FileDescriptor& socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    ASSERT_GT(sent, 0);
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

// Receives until the data ends with `end`, or until the connection is closed if `end` is empty.
std::string receive_until(const FileDescriptor& socket, std::string_view end) {
  std::string received;
  std::array<char, 4096> buffer{};
  while (end.empty() || !received.ends_with(end)) {
    const ssize_t count = ::recv(socket.number(), buffer.data(), buffer.size(), 0);
    if (count <= 0) break;
    received.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return received;
}

std::string read_request(std::string_view text, std::string_view headers = {}) {
  const std::string body = "{\"words\":false,\"text\":\"" + std::string(text) + "\"}";
  return "POST /v1/read HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n" +
         std::string(headers) + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         body;
}

TEST(Server, KeepsAConnectionAliveForManyRequests) {
  const Server server;
  const FileDescriptor socket = server.connect();
  for (int i = 0; i < 5; ++i) {
    send_all(socket, read_request("abc bcd"));
    EXPECT_THAT(receive_until(socket, "}"), StartsWith("HTTP/1.1 200 OK\r\n"));
  }
}

TEST(Server, AnswersPipelinedRequestsInOrder) {
  const Server server;
  const FileDescriptor socket = server.connect();
  send_all(socket, read_request("abc") + "GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n" +
                       "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  const std::string responses = receive_until(socket, "");
  const std::size_t second = responses.find("HTTP/1.1 404"),
                    third = responses.rfind("HTTP/1.1 200");
  EXPECT_LT(responses.find("HTTP/1.1 200"), second);
  EXPECT_LT(second, third);
  EXPECT_THAT(responses, EndsWith("{\"status\":\"ok\"}"));
}

TEST(Server, AHeadResponseHasAContentLengthAndNoBody) {
  const Server server;
  const FileDescriptor socket = server.connect();
  send_all(socket, "HEAD /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  const std::string responses = receive_until(socket, "");
  EXPECT_THAT(responses, HasSubstr("Content-Length: 15\r\n"));
  EXPECT_THAT(responses, EndsWith("\r\n\r\n"));
}

TEST(Server, ConnectionsOverTheLimitGet503) {
  Limits limits;
  limits.connections = 2;
  const Server server(limits);
  const std::array admitted = {server.connect(), server.connect()};
  for (const FileDescriptor& socket : admitted) {
    send_all(socket, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_THAT(receive_until(socket, "}"), HasSubstr(" 200 OK"));
  }
  const FileDescriptor third = server.connect();
  send_all(third, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
  const std::string rejected = receive_until(third, "");
  EXPECT_THAT(rejected, StartsWith("HTTP/1.1 503 "));
  EXPECT_THAT(rejected, HasSubstr("Retry-After: 1\r\n"));
  EXPECT_THAT(rejected, HasSubstr("Access-Control-Allow-Origin: https://example.org\r\n"));
  EXPECT_EQ(server.metrics().connections_refused.load(), 1U);
}

TEST(Server, AnIncompleteRequestGets408AfterTheReadTimeout) {
  Limits limits;
  // Long enough for the first bytes to arrive on a busy machine: a silent connection gets no 408.
  limits.read_timeout = std::chrono::milliseconds(300);
  const Server server(limits);
  const FileDescriptor socket = server.connect();
  send_all(socket, "GET /healthz HTTP/1.1\r\n");
  EXPECT_THAT(receive_until(socket, ""), StartsWith("HTTP/1.1 408 "));
}

// Such responses had no CORS headers, so that pages saw a network error, and no route.
TEST(Server, RequestsRejectedEarlyHaveCorsHeadersAndARoute) {
  Limits limits;
  limits.body_bytes = 10;
  limits.read_timeout = std::chrono::milliseconds(300);
  const Server server(limits);
  const std::string head = "POST /v1/read/batch HTTP/1.1\r\nHost: x\r\n";
  for (const auto& [request, status] :
       {std::pair{head + "Content-Length: 11\r\n\r\n", "413"},
        std::pair{head + "Content-Length: 9\r\n\r\nabc", "408"},
        std::pair{head + "Transfer-Encoding: chunked\r\n\r\nx\r\n", "400"}}) {
    const FileDescriptor socket = server.connect();
    send_all(socket, request);
    const std::string response = receive_until(socket, "");
    EXPECT_THAT(response, StartsWith("HTTP/1.1 " + std::string(status)));
    EXPECT_THAT(response, HasSubstr("Access-Control-Allow-Origin: https://example.org\r\n"));
    EXPECT_THAT(server.metrics().exposition(),
                HasSubstr("skim_requests_total{route=\"/v1/read/batch\",status=\"" +
                          std::string(status) + "\"} 1\n"));
  }
}

TEST(Server, AnIdleConnectionIsClosedAfterTheKeepAliveTimeout) {
  Limits limits;
  limits.keep_alive_timeout = std::chrono::milliseconds(1);
  const Server server(limits);
  const FileDescriptor socket = server.connect();
  send_all(socket, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(receive_until(socket, ""), EndsWith("{\"status\":\"ok\"}"));
}

TEST(Server, GracefulShutdownAnswersAllRequestsOfConcurrentClients) {
  Server server;
  std::atomic<int> num_requests{0}, num_responses{0};
  std::vector<std::thread> clients;
  for (int i = 0; i < 6; ++i) {
    clients.emplace_back([&] {
      for (bool open = true; open;) {
        const FileDescriptor socket = server.connect();
        for (;;) {
          send_all(socket, read_request("abc bcd cde def"));
          ++num_requests;
          const std::string response = receive_until(socket, "}");
          if (response.starts_with("HTTP/1.1 200 ")) ++num_responses;
          open = !response.empty() && response.find("Connection: close") == std::string::npos;
          if (!open) break;
        }
      }
    });
  }
  // All clients are connected: after the stop, others would be refused.
  while (num_responses < 60 || server.metrics().connections_accepted < 6) std::this_thread::yield();
  server.stop();
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(num_requests, num_responses);
}

// Sends so many requests that some are still queued when /healthz is answered, on any machine.
TEST(Server, HealthIsAnsweredWhileAllWorkersAreBusy) {
  Limits limits;
  limits.body_bytes = limits.text_bytes = std::size_t{8} << 20U;
  const Server server(limits);
  // Long enough that the workers are busy until the last request arrives; shorter when sanitized.
#ifdef SKIM_SANITIZED
  constexpr std::size_t kSize = std::size_t{1} << 18U;
#else
  constexpr std::size_t kSize = std::size_t{1} << 20U;
#endif
  std::string text;
  while (text.size() < kSize) text += "abc bcd cde def ";
  std::vector<FileDescriptor> clients;
  for (int i = 0; i < 12; ++i) {
    clients.push_back(server.connect());
    send_all(clients.back(), read_request(text));
  }
  while (server.metrics().queue_depth.load() == 0) std::this_thread::yield();
  const FileDescriptor socket = server.connect();
  send_all(socket, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(receive_until(socket, "}"), HasSubstr(" 200 OK"));
  EXPECT_GT(server.metrics().requests_in_flight.load(), 0U);
  for (const FileDescriptor& client : clients) {
    EXPECT_THAT(receive_until(client, "}"), StartsWith("HTTP/1.1 200 "));
  }
}

TEST(Server, ReplacedModelsAreFreedThoughTheWorkersSleep) {
  Server server;
  const FileDescriptor socket = server.connect();
  for (int i = 0; i < 10; ++i) {
    send_all(socket, read_request("abc bcd"));
    EXPECT_THAT(receive_until(socket, "}"), StartsWith("HTTP/1.1 200 OK\r\n"));
  }
  const std::weak_ptr<ModelSet> old = server.models().current();
  server.models().replace(sample_replacement(4));
  EXPECT_TRUE(old.expired());
  send_all(socket, read_request("abc bcd"));
  EXPECT_THAT(receive_until(socket, "}"), StartsWith("HTTP/1.1 200 OK\r\n"));
}

TEST(Server, AnswersAllRequestsWhileModelsAreReplaced) {
  Server server;
  std::atomic<bool> done{false};
  std::atomic<int> num_requests{0}, num_responses{0};
  std::vector<std::thread> clients;
  for (int i = 0; i < 4; ++i) {
    clients.emplace_back([&] {
      const FileDescriptor socket = server.connect();
      while (!done) {
        send_all(socket, read_request("abc bcd cde def"));
        ++num_requests;
        if (receive_until(socket, "}").starts_with("HTTP/1.1 200 ")) ++num_responses;
      }
    });
  }
  std::vector<std::weak_ptr<ModelSet>> replaced;
  for (std::uint32_t i = 0; i < 20; ++i) {
    const int before = num_responses;
    replaced.push_back(server.models().current());
    server.models().replace(sample_replacement(4 + i % 2));
    while (num_responses < before + 5) std::this_thread::yield();
  }
  done = true;
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(num_requests, num_responses);
  for (const std::weak_ptr<ModelSet>& old : replaced) EXPECT_TRUE(old.expired());
}

// Until several were read together: how many depends on the threads.
TEST(Server, RequestsReadTogetherGetTheirOwnResponses) {
  Server server;
  // The body of the next response up to its time.
  const auto receive_answer = [](const FileDescriptor& socket) {
    const std::string response = receive_until(socket, "}");
    const std::size_t begin = response.find("\r\n\r\n"), end = response.find("\"microseconds\"");
    return begin < end ? response.substr(begin, end - begin) : response;
  };
  std::vector<FileDescriptor> sockets;
  std::vector<std::string> requests, expected;
  std::string text;
  for (std::size_t i = 0; i < 24; ++i) {
    text += std::string(1 + i % 7, static_cast<char>('a' + i % 20)) + " ";
    requests.push_back(read_request(text));
    sockets.push_back(server.connect());
    send_all(sockets[i], requests[i]);
    expected.push_back(receive_answer(sockets[i]));
    EXPECT_THAT(expected[i], HasSubstr("\"answer\""));
  }
  const std::string only_single = "skim_read_group_size_bucket{le=\"1\"} ";
  for (std::size_t round = 1;; ++round) {
    for (std::size_t i = 0; i < sockets.size(); ++i) send_all(sockets[i], requests[i]);
    server.models().replace(sample_replacement(3));  // the same weights
    for (std::size_t i = 0; i < sockets.size(); ++i) {
      ASSERT_EQ(receive_answer(sockets[i]), expected[i]);
    }
    const std::string single = only_single + std::to_string((round + 1) * sockets.size()) + "\n";
    if (round >= 20 && server.metrics().exposition().find(single) == std::string::npos) break;
  }
}

TEST(Server, GracefulShutdownWaitsForTheRestOfARequest) {
  Server server;
  const FileDescriptor socket = server.connect();
  const std::string request = read_request("abc");
  send_all(socket, request.substr(0, 30));
  while (server.metrics().connections_open.load() == 0) std::this_thread::yield();
  server.stop();
  send_all(socket, request.substr(30));
  EXPECT_THAT(receive_until(socket, ""), StartsWith("HTTP/1.1 200 "));
}

}  // namespace
}  // namespace skim::server
