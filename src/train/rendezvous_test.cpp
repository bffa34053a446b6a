#include "train/rendezvous.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdlib>
#include <future>
#include <map>

#include "base/file_descriptor.h"
#include "train/rendezvous_frame.h"

namespace skim::train {
namespace {

using testing::HasSubstr;
using Variables = std::map<std::string, std::string>;

// Reads the rendezvous from these environment variables alone.
Result<Rendezvous> rendezvous_from(const Variables& variables) {
  for (const char* name : {"WORLD_SIZE", "RANK", "MASTER_ADDR", "MASTER_PORT", "LOCAL_WORLD_SIZE"})
    unsetenv(name);
  for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
  Result<Rendezvous> rendezvous = rendezvous_from_environment();
  for (const auto& [name, value] : variables) unsetenv(name.c_str());
  return rendezvous;
}

TEST(RendezvousFromEnvironment, IsOneProcessWithoutVariables) {
  const Result<Rendezvous> rendezvous = rendezvous_from({});
  ASSERT_TRUE(rendezvous.has_value());
  EXPECT_EQ(rendezvous->size, 1);
  EXPECT_EQ(rendezvous->rank, 0);
}

TEST(RendezvousFromEnvironment, TakesTheVariablesOfTorchrun) {
  const Result<Rendezvous> rendezvous = rendezvous_from({{"WORLD_SIZE", "4"},
                                                         {"RANK", "3"},
                                                         {"MASTER_ADDR", "10.0.0.1"},
                                                         {"MASTER_PORT", "29500"},
                                                         {"LOCAL_WORLD_SIZE", "2"}});
  ASSERT_TRUE(rendezvous.has_value()) << rendezvous.error().message;
  EXPECT_EQ(rendezvous->size, 4);
  EXPECT_EQ(rendezvous->rank, 3);
  EXPECT_EQ(rendezvous->address, "10.0.0.1");
  EXPECT_EQ(rendezvous->port, 29500);
  EXPECT_EQ(rendezvous->local_size, 2);
}

TEST(RendezvousFromEnvironment, NamesAWrongVariable) {
  const std::vector<std::pair<Variables, std::string>> cases = {
      {{{"WORLD_SIZE", "2"}}, "RANK"},
      {{{"WORLD_SIZE", "x"}, {"RANK", "0"}}, "WORLD_SIZE=x"},
      {{{"WORLD_SIZE", "2"}, {"RANK", "2"}}, "RANK=2"},
      {{{"WORLD_SIZE", "2"}, {"RANK", "0"}}, "MASTER_PORT"},
      {{{"WORLD_SIZE", "2"}, {"RANK", "0"}, {"MASTER_PORT", "4"}}, "MASTER_ADDR"}};
  for (const auto& [variables, name] : cases) {
    const Result<Rendezvous> rendezvous = rendezvous_from(variables);
    ASSERT_FALSE(rendezvous.has_value()) << name;
    EXPECT_EQ(rendezvous.error().fault, Fault::argument);
    EXPECT_THAT(rendezvous.error().message, HasSubstr(name));
  }
}

// Another program's socket on this machine.
class Stranger {
 public:
  // Listens at a free port.
  Stranger() : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    bind(socket_.number(), reinterpret_cast<sockaddr*>(&address_), sizeof address_);
    listen(socket_.number(), 8);
    socklen_t size = sizeof address_;
    getsockname(socket_.number(), reinterpret_cast<sockaddr*>(&address_), &size);
  }
  // Connects, as soon as someone listens there, and sends bytes.
  Stranger(int port, std::string_view bytes) {
    address_.sin_port = htons(static_cast<std::uint16_t>(port));
    do {
      socket_ = FileDescriptor(::socket(AF_INET, SOCK_STREAM, 0));
    } while (connect(socket_.number(), reinterpret_cast<sockaddr*>(&address_), sizeof address_) !=
             0);
    send(bytes);
  }
  int port() const { return ntohs(address_.sin_port); }
  // Accepts a connection and sends bytes.
  void accept_and_send(std::string_view bytes) {
    socket_ = FileDescriptor(accept(socket_.number(), nullptr, nullptr));
    send(bytes);
  }

 private:
  void send(std::string_view bytes) {
    ::send(socket_.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }

  sockaddr_in address_{AF_INET, 0, {htonl(INADDR_LOOPBACK)}, {}};
  FileDescriptor socket_;
};

int free_port() { return Stranger().port(); }

using Messages = Result<std::vector<std::string>>;

// Long enough for any machine: no test waits as long.
constexpr Patience kPatient{.seconds = 100};
constexpr Patience kImpatient{.seconds = 0.2};

Rendezvous endpoint(int port, int rank, int size) {
  return {.rank = rank, .size = size, .address = "127.0.0.1", .port = port};
}

std::future<Messages> exchange_in_thread(const Rendezvous& rendezvous, const Patience& patience) {
  return std::async(std::launch::async, [=] {
    return exchange(rendezvous, "of " + std::to_string(rendezvous.rank), patience);
  });
}

void expect_failure(const Messages& messages, const std::string& reason) {
  ASSERT_FALSE(messages.has_value());
  EXPECT_EQ(messages.error().fault, Fault::io);
  EXPECT_THAT(messages.error().message, HasSubstr(reason));
}

TEST(Exchange, GivesAllMessagesToAllProcesses) {
  const int port = free_port();
  std::vector<std::future<Messages>> processes;
  for (const int rank : {2, 1, 0})
    processes.push_back(exchange_in_thread(endpoint(port, rank, 3), kPatient));
  for (std::future<Messages>& process : processes) {
    const Messages messages = process.get();
    ASSERT_TRUE(messages.has_value()) << messages.error().message;
    EXPECT_THAT(*messages, testing::ElementsAre("of 0", "of 1", "of 2"));
  }
}

TEST(Exchange, IgnoresConnectionsOfOtherPrograms) {
  const int port = free_port();
  std::future<Messages> host = exchange_in_thread(endpoint(port, 0, 2), kPatient);
  std::string huge(kHelloMagic);
  append_number(huge, 0xFFFFFFFF);
  const Stranger zeros(port, std::string(64, '\0')), silent(port, ""), stalled(port, "skim-"),
      browser(port, "GET / HTTP/1.1\r\n\r\n"), oversized(port, huge);
  const Messages guest = exchange(endpoint(port, 1, 2), "", kPatient);
  EXPECT_TRUE(guest.has_value()) << guest.error().message;
  EXPECT_TRUE(host.get().has_value());
}

TEST(Exchange, AProcessThatDiedMayComeAgain) {
  const int port = free_port();
  std::future<Messages> host = exchange_in_thread(endpoint(port, 0, 3), kPatient);
  std::string numbers;
  append_number(numbers, 3);  // size
  append_number(numbers, 1);  // rank
  { const Stranger died(port, std::string(kHelloMagic) + frame_body(numbers)); }
  std::future<Messages> second = exchange_in_thread(endpoint(port, 1, 3), kPatient);
  EXPECT_TRUE(exchange(endpoint(port, 2, 3), "", kPatient).has_value());
  EXPECT_TRUE(second.get().has_value());
  EXPECT_TRUE(host.get().has_value());
}

TEST(Exchange, AMissingProcessEndsAllOthers) {
  const int port = free_port();
  std::future<Messages> guest = exchange_in_thread(endpoint(port, 1, 3), kPatient);
  expect_failure(exchange(endpoint(port, 0, 3), "", {.seconds = 2}), "no process of rank 2 came");
  expect_failure(guest.get(), "no process of rank 2 came");
}

TEST(Exchange, NamesRanksAndSizesThatDoNotFit) {
  const int port = free_port();
  std::atomic<bool> stop = false;
  std::future<Messages> host =
      exchange_in_thread(endpoint(port, 0, 3), {.seconds = 100, .stop = &stop});
  expect_failure(exchange(endpoint(port, 1, 2), "", kPatient), "WORLD_SIZE is 2, but 3");
  std::future<Messages> first = exchange_in_thread(endpoint(port, 1, 3), kPatient);
  std::future<Messages> second = exchange_in_thread(endpoint(port, 1, 3), kPatient);
  while (first.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready &&
         second.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) {
  }
  stop = true;
  const Messages answers[] = {first.get(), second.get(), host.get()};
  EXPECT_THAT(answers[0].error().message + answers[1].error().message,
              HasSubstr("RANK=1 is taken by another process"));
  expect_failure(answers[2], "stopped");
}

TEST(Exchange, NamesAPortInUse) {
  const Stranger listener;
  expect_failure(exchange(endpoint(listener.port(), 0, 2), "", kPatient), "MASTER_PORT");
}

TEST(Exchange, ASilentListenerDoesNotBlock) {
  const Stranger listener;
  expect_failure(exchange(endpoint(listener.port(), 1, 2), "", kImpatient), "does not answer");
}

TEST(Exchange, AnAnswerOfAnotherProgramIsNamed) {
  Stranger listener;
  std::future<Messages> guest = exchange_in_thread(endpoint(listener.port(), 1, 2), kPatient);
  listener.accept_and_send("SSH-2.0-OpenSSH_9.2\r\n");
  expect_failure(guest.get(), "is not the process of rank 0");
}

TEST(Exchange, WithoutRankZeroNobodyListens) {
  expect_failure(exchange(endpoint(free_port(), 1, 2), "", kImpatient), "nobody listens");
  Rendezvous nowhere = endpoint(1, 1, 2);
  nowhere.address = "no such host";
  expect_failure(exchange(nowhere, "", kPatient), "MASTER_ADDR=no such host");
}

}  // namespace
}  // namespace skim::train
