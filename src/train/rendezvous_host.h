// The side of rank 0 of a rendezvous.
#pragma once

#include <list>
#include <string>
#include <vector>

#include "train/rendezvous_socket.h"

namespace skim::train {

// Collects a message of every process and sends all messages to all of them.
class RendezvousHost {
 public:
  RendezvousHost(const Rendezvous& rendezvous, FileDescriptor listener, std::string own_message);

  Result<std::vector<std::string>> run(const Patience& patience);

 private:
  struct Connection {
    FileDescriptor socket;
    std::string received;
    int rank = -1;  // unknown until the hello is complete
  };

  // Handles what arrives within so many milliseconds.
  void poll_once(int milliseconds, const Deadline& deadline);
  void accept_all();
  // False when the connection is to be closed.
  bool receive(Connection& connection, const Deadline& deadline);
  bool admit(Connection& connection, std::string_view hello, const Deadline& deadline);
  void reply_to_all(const std::string& payload, const Deadline& deadline);
  bool complete() const;
  std::string describe_missing() const;

  Rendezvous rendezvous_;
  FileDescriptor listener_;
  std::list<Connection> connections_;
  std::vector<std::string> messages_;  // by rank
  int foreign_ = 0;                    // connections of other programs
};

}  // namespace skim::train
