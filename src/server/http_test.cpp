#include "server/http.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <thread>

#include "server/listener.h"
#include "tests/support/sample_site.h"

namespace skim::server {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

// A server on a thread of its own, until the test ends.
class Server {
 public:
  explicit Server(Limits limits = {}) : site_(sample_site()) {
    site_.limits = limits;
    auto listener = listen_at("127.0.0.1", 0);
    EXPECT_TRUE(listener);
    port_ = std::stoi(listener->address.substr(listener->address.find(':') + 1));
    thread_ = std::thread([this, socket = std::move(listener->socket)]() mutable {
      EXPECT_TRUE(serve({site_, metrics_, log_, std::move(socket), stop_.number(), 2}));
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

  Descriptor connect() const {
    Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port_));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket.number(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    return socket;
  }
  const Metrics& metrics() const { return metrics_; }

 private:
  Site site_;
  Metrics metrics_{{"first", "second"}};
  AccessLog log_{-1, metrics_};
  Descriptor stop_{::eventfd(0, EFD_CLOEXEC)};
  int port_ = 0;
  std::thread thread_;
};

void send_all(const Descriptor& socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    ASSERT_GT(sent, 0);
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

// Up to the end of the connection, or of the given text.
std::string receive_until(const Descriptor& socket, std::string_view end) {
  std::string got;
  std::array<char, 4096> piece{};
  while (end.empty() || !got.ends_with(end)) {
    const ssize_t count = ::recv(socket.number(), piece.data(), piece.size(), 0);
    if (count <= 0) break;
    got.append(piece.data(), static_cast<std::size_t>(count));
  }
  return got;
}

std::string read_request(std::string_view text, std::string_view headers = {}) {
  const std::string body = "{\"words\":false,\"text\":\"" + std::string(text) + "\"}";
  return "POST /v1/read HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n" +
         std::string(headers) + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         body;
}

TEST(Http, AConnectionIsKeptForManyRequests) {
  const Server server;
  const Descriptor socket = server.connect();
  for (int i = 0; i < 5; ++i) {
    send_all(socket, read_request("abc bcd"));
    EXPECT_THAT(receive_until(socket, "}"), StartsWith("HTTP/1.1 200 OK\r\n"));
  }
}

TEST(Http, RequestsSentTogetherAreAnsweredInOrder) {
  const Server server;
  const Descriptor socket = server.connect();
  send_all(socket, read_request("abc") + "GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n" +
                       "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  const std::string all = receive_until(socket, "");
  const std::size_t second = all.find("HTTP/1.1 404"), third = all.rfind("HTTP/1.1 200");
  EXPECT_LT(all.find("HTTP/1.1 200"), second);
  EXPECT_LT(second, third);
  EXPECT_THAT(all, EndsWith("{\"status\":\"ok\"}"));
}

TEST(Http, AHeadHasTheLengthAndNoBody) {
  const Server server;
  const Descriptor socket = server.connect();
  send_all(socket, "HEAD /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  const std::string all = receive_until(socket, "");
  EXPECT_THAT(all, HasSubstr("Content-Length: 15\r\n"));
  EXPECT_THAT(all, EndsWith("\r\n\r\n"));
}

TEST(Http, ConnectionsBeyondTheLimitAreToldSo) {
  Limits limits;
  limits.connections = 2;
  const Server server(limits);
  const std::array kept = {server.connect(), server.connect()};
  for (const Descriptor& socket : kept) {
    send_all(socket, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_THAT(receive_until(socket, "}"), HasSubstr(" 200 OK"));
  }
  const Descriptor third = server.connect();
  send_all(third, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
  const std::string told = receive_until(third, "");
  EXPECT_THAT(told, StartsWith("HTTP/1.1 503 "));
  EXPECT_THAT(told, HasSubstr("Retry-After: 1\r\n"));
  EXPECT_EQ(server.metrics().connections_refused.load(), 1U);
}

TEST(Http, ARequestThatDoesNotArriveInTimeIsRefused) {
  Limits limits;
  limits.read_time = std::chrono::milliseconds(1);
  const Server server(limits);
  const Descriptor socket = server.connect();
  send_all(socket, "GET /healthz HTTP/1.1\r\n");
  EXPECT_THAT(receive_until(socket, ""), StartsWith("HTTP/1.1 408 "));
}

TEST(Http, AnIdleConnectionIsClosedWithoutAWord) {
  Limits limits;
  limits.keep_alive_time = std::chrono::milliseconds(1);
  const Server server(limits);
  const Descriptor socket = server.connect();
  send_all(socket, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(receive_until(socket, ""), EndsWith("{\"status\":\"ok\"}"));
}

TEST(Http, ManyClientsAtOnceGetTheirAnswersAndStoppingLosesNone) {
  Server server;
  std::atomic<int> asked{0}, answered{0};
  std::vector<std::thread> clients;
  for (int i = 0; i < 6; ++i) {
    clients.emplace_back([&] {
      for (bool open = true; open;) {
        const Descriptor socket = server.connect();
        for (;;) {
          send_all(socket, read_request("abc bcd cde def"));
          ++asked;
          const std::string got = receive_until(socket, "}");
          if (got.starts_with("HTTP/1.1 200 ")) ++answered;
          open = !got.empty() && got.find("Connection: close") == std::string::npos;
          if (!open) break;
        }
      }
    });
  }
  while (answered < 60) std::this_thread::yield();
  server.stop();
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(asked, answered);
}

// So many that some are still waiting when the short one has been answered, however slow the test.
TEST(Http, WhatNeedsNoReadingIsAnsweredWhileAllThreadsRead) {
  Limits limits;
  limits.body_bytes = limits.text_bytes = std::size_t{8} << 20U;
  const Server server(limits);
  // Long enough that all are still reading when the last question comes; sanitized code needs less.
#ifdef SKIM_SANITIZED
  constexpr std::size_t kSize = std::size_t{1} << 18U;
#else
  constexpr std::size_t kSize = std::size_t{1} << 20U;
#endif
  std::string text;
  while (text.size() < kSize) text += "abc bcd cde def ";
  std::vector<Descriptor> readers;
  for (int i = 0; i < 12; ++i) {
    readers.push_back(server.connect());
    send_all(readers.back(), read_request(text));
  }
  while (server.metrics().queued.load() == 0) std::this_thread::yield();
  const Descriptor socket = server.connect();
  send_all(socket, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(receive_until(socket, "}"), HasSubstr(" 200 OK"));
  EXPECT_GT(server.metrics().in_flight.load(), 0U);
  for (const Descriptor& reader : readers) {
    EXPECT_THAT(receive_until(reader, "}"), StartsWith("HTTP/1.1 200 "));
  }
}

TEST(Http, HalfARequestIsWaitedForWhenStopping) {
  Server server;
  const Descriptor socket = server.connect();
  const std::string request = read_request("abc");
  send_all(socket, request.substr(0, 30));
  while (server.metrics().connections.load() == 0) std::this_thread::yield();
  server.stop();
  send_all(socket, request.substr(30));
  EXPECT_THAT(receive_until(socket, ""), StartsWith("HTTP/1.1 200 "));
}

}  // namespace
}  // namespace skim::server
