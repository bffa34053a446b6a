// Threads that read texts, and the bounded queue in front of them.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "server/connection.h"
#include "server/metrics.h"
#include "server/pool.h"

namespace skim::server {

class Workers {
 public:
  using Task = std::shared_ptr<Connection>;
  using Work = std::function<void(Connection&, Desk&)>;

  struct Size {
    int threads = 1;
    std::size_t queue = 1;
  };
  // Borrows models and metrics. `work` is called on any of the threads, each with its own desk.
  Workers(Size size, const std::vector<Served>& models, Metrics& metrics, Work work);
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  // Does what is in the queue first.
  ~Workers();

  // False, and nothing happens, when the queue is full.
  bool offer(Task task);

 private:
  void run();

  std::size_t room_;
  const std::vector<Served>& models_;
  Metrics& metrics_;
  Work work_;
  std::mutex mutex_;  // guards all below
  std::condition_variable called_;
  std::deque<Task> waiting_;
  std::size_t idle_ = 0;  // threads that wait for a task
  bool leaving_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace skim::server
