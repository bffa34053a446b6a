#include "server/worker_pool.h"

#include <algorithm>
#include <utility>

namespace skim::server {

WorkerPool::WorkerPool(Size size, Poller& poller, Metrics& metrics, Callbacks callbacks)
    : queue_capacity_(size.queue),
      num_threads_(size.threads),
      poller_(poller),
      metrics_(metrics),
      callbacks_(std::move(callbacks)) {}

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  poller_.wake_one();
  for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::start() {
  for (std::size_t i = 0; i < num_threads_; ++i) contexts_.emplace_back(i);
  for (WorkerContext& context : contexts_)
    threads_.emplace_back([this, &context] { run(context); });
}

bool WorkerPool::submit(Task task) {
  const std::lock_guard lock(mutex_);
  // A thread without a task takes one from the queue at once, so that task does not count.
  if (queue_.size() >= queue_capacity_ + (num_threads_ - num_busy_)) return false;
  queue_.push_back(std::move(task));
  metrics_.queue_depth.store(queue_.size(), std::memory_order_relaxed);
  return true;
}

void WorkerPool::wake_one() {
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    wake = should_wake();
  }
  if (wake) poller_.wake_one();
}

bool WorkerPool::all_busy() {
  const std::lock_guard lock(mutex_);
  return num_busy_ == num_threads_;
}

bool WorkerPool::notify_when_all_busy() {
  const std::lock_guard lock(mutex_);
  notify_all_busy_ = num_busy_ < num_threads_;
  return !notify_all_busy_;
}

void WorkerPool::run(WorkerContext& context) {
  Group group;
  std::unique_lock lock(mutex_);
  while (wait_for_task(lock)) {
    pop(group);
    const std::span<const Task> tasks(group.tasks.data(), group.size);
    const bool notify = num_busy_ == num_threads_ && std::exchange(notify_all_busy_, false);
    const bool wake = should_wake();
    lock.unlock();
    if (wake) poller_.wake_one();
    if (notify) callbacks_.all_busy();
    callbacks_.execute(tasks, context);
    metrics_.requests_in_flight.fetch_sub(group.size, std::memory_order_relaxed);
    std::fill_n(group.tasks.begin(), group.size, nullptr);
    lock.lock();
    --num_busy_;
  }
  // A wake-up reaches one thread, so each thread passes it on.
  poller_.wake_one();
}

// No task stays queued while a thread sleeps: a thread that finds the queue empty counts as idle
// before the queue can change, and a thread that takes a task with more behind it wakes an idle
// one, which does the same.
bool WorkerPool::wait_for_task(std::unique_lock<std::mutex>& lock) {
  while (queue_.empty()) {
    if (stopping_) return false;
    ++num_idle_;
    lock.unlock();
    const Poller::Events events = poller_.wait(-1);
    lock.lock();
    --num_idle_;
    if (events.count == 0) continue;
    lock.unlock();
    callbacks_.handle_events(events);
    lock.lock();
  }
  return true;
}

void WorkerPool::pop(Group& group) {
  group.size = next_group_size();
  for (std::size_t i = 0; i < group.size; ++i) {
    group.tasks[i] = std::move(queue_.front());
    queue_.pop_front();
  }
  ++num_busy_;
  metrics_.queue_depth.store(queue_.size(), std::memory_order_relaxed);
  metrics_.requests_in_flight.fetch_add(group.size, std::memory_order_relaxed);
}

// The other threads get the same share of what waits, so that none of them runs out of tasks while
// this one has many.
std::size_t WorkerPool::next_group_size() const {
  const std::size_t share = (queue_.size() + num_threads_ - 1) / num_threads_;
  const std::size_t limit = std::min(share, kMaxGroup);
  const auto end = queue_.begin() + static_cast<std::ptrdiff_t>(limit);
  const auto joins = [](const Task& task) { return task->may_join; };
  const auto count = std::find_if_not(queue_.begin(), end, joins) - queue_.begin();
  return std::max<std::size_t>(1, static_cast<std::size_t>(count));
}

}  // namespace skim::server
