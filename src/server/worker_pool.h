// The worker threads of the server and their bounded request queue.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "server/connection.h"
#include "server/metrics.h"
#include "server/poller.h"
#include "server/worker_context.h"

namespace skim::server {

// A thread without a task waits for socket events and handles them. A thread that takes a task
// which may join others takes those that already wait directly behind it, too, as far as the queue
// holds enough for the other threads. Tasks start in the order in which they came. Thread-safe.
class WorkerPool {
 public:
  using Task = std::shared_ptr<Connection>;  // with a complete request
  static constexpr std::size_t kMaxGroup = 16;

  struct Size {
    std::size_t threads = 1;
    std::size_t queue = 1;
  };
  // Called on any worker thread.
  struct Callbacks {
    // One task, or several that may join. One context per thread.
    std::function<void(std::span<const Task>, WorkerContext&)> execute;
    std::function<void(const Poller::Events&)> handle_events;  // may submit tasks
    std::function<void()> all_busy;                            // see notify_when_all_busy
  };
  // Borrows poller and metrics. `start` starts the threads.
  WorkerPool(Size size, Poller& poller, Metrics& metrics, Callbacks callbacks);
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;
  // Executes all queued tasks, then joins the threads.
  ~WorkerPool();

  // Throws when the system has no memory or no thread for it.
  void start();

  // Queues a task; false when the queue is full. A worker thread that submits executes the task
  // after it has handled its events; other threads must call `wake_one` afterwards.
  bool submit(Task task);
  // Wakes a thread that waits for events if a task is queued.
  void wake_one();

  // Whether every thread executes a task, so that none waits for events.
  bool all_busy();
  // The same; if false, `Callbacks::all_busy` is called once, as soon as it becomes true.
  bool notify_when_all_busy();

 private:
  void run(WorkerContext& context);
  // With the lock held. False: the pool is stopping.
  bool wait_for_task(std::unique_lock<std::mutex>& lock);
  // The tasks of one thread. Needs no memory, because exceptions must not escape a thread.
  struct Group {
    std::array<Task, kMaxGroup> tasks;
    std::size_t size = 0;
  };
  void pop(Group& group);
  std::size_t next_group_size() const;
  bool should_wake() const { return !queue_.empty() && num_idle_ > 0; }

  std::size_t queue_capacity_;
  std::size_t num_threads_;
  Poller& poller_;
  Metrics& metrics_;
  Callbacks callbacks_;
  std::mutex mutex_;  // guards the members below
  std::deque<Task> queue_;
  std::size_t num_idle_ = 0;  // threads that wait for events
  std::size_t num_busy_ = 0;  // threads that execute a task
  bool notify_all_busy_ = false;
  bool stopping_ = false;
  std::deque<WorkerContext> contexts_;  // one per thread; created before the threads, because
                                        // exceptions must not escape a thread
  std::vector<std::thread> threads_;
};

}  // namespace skim::server
