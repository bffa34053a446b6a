// Threads that read texts, and the bounded queue in front of them.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "server/connection.h"
#include "server/metrics.h"
#include "server/poller.h"
#include "server/pool.h"

namespace skim::server {

class Workers {
 public:
  using Task = std::shared_ptr<Connection>;

  struct Size {
    int threads = 1;
    std::size_t queue = 1;
  };
  // Called on any of the threads.
  struct Duties {
    std::function<void(Connection&, Desk&)> work;  // each thread has its own desk
    // A thread without a task waits for sockets. This looks after them, and may offer tasks.
    std::function<void(const Poller::Happened&)> look_after;
    std::function<void()> all_busy;  // see tell_when_all_busy
  };
  // Borrows poller, models and metrics. The threads begin with `start`.
  Workers(Size size, Poller& poller, const std::vector<Served>& models, Metrics& metrics,
          Duties duties);
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  // Does what is in the queue first.
  ~Workers();

  void start();

  // False, and nothing happens, when the queue is full. One of the threads takes the task once it
  // has looked after its sockets; others that offer call `rouse` when they are done.
  bool offer(Task task);
  // Sees to it that a thread that waits for sockets takes a task, if there are both.
  void rouse();

  // Whether every thread has a task, so that none waits for sockets.
  bool all_busy();
  // The same, and if not: the duty `all_busy` is called, once, when it comes to that.
  bool tell_when_all_busy();

 private:
  void run();
  // With the lock held. False: time to leave.
  bool wait_for_task(std::unique_lock<std::mutex>& lock);
  Task take();
  bool is_someone_needed() const { return !waiting_.empty() && idle_ > 0; }

  std::size_t room_;
  std::size_t size_;
  Poller& poller_;
  const std::vector<Served>& models_;
  Metrics& metrics_;
  Duties duties_;
  std::mutex mutex_;  // guards all below
  std::deque<Task> waiting_;
  std::size_t idle_ = 0;  // threads that wait for sockets
  std::size_t busy_ = 0;  // threads that have a task
  bool tell_ = false;
  bool leaving_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace skim::server
