#include "server/workers.h"

#include <utility>

namespace skim::server {

Workers::Workers(Size size, Poller& poller, const std::vector<Served>& models, Metrics& metrics,
                 Duties duties)
    : room_(size.queue),
      size_(static_cast<std::size_t>(size.threads)),
      poller_(poller),
      models_(models),
      metrics_(metrics),
      duties_(std::move(duties)) {}

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    leaving_ = true;
  }
  poller_.call();
  for (std::thread& thread : threads_) thread.join();
}

void Workers::start() {
  for (std::size_t i = 0; i < size_; ++i) threads_.emplace_back([this] { run(); });
}

bool Workers::offer(Task task) {
  const std::lock_guard lock(mutex_);
  // A thread without a task will take one at once: that one does not count.
  if (waiting_.size() >= room_ + (size_ - busy_)) return false;
  waiting_.push_back(std::move(task));
  metrics_.queued.store(waiting_.size(), std::memory_order_relaxed);
  return true;
}

void Workers::rouse() {
  bool needed = false;
  {
    const std::lock_guard lock(mutex_);
    needed = is_someone_needed();
  }
  if (needed) poller_.call();
}

bool Workers::all_busy() {
  const std::lock_guard lock(mutex_);
  return busy_ == size_;
}

bool Workers::tell_when_all_busy() {
  const std::lock_guard lock(mutex_);
  tell_ = busy_ < size_;
  return !tell_;
}

void Workers::run() {
  Desk desk(models_);
  std::unique_lock lock(mutex_);
  while (wait_for_task(lock)) {
    const Task task = take();
    const bool tell = busy_ == size_ && std::exchange(tell_, false);
    const bool needed = is_someone_needed();
    lock.unlock();
    if (needed) poller_.call();
    if (tell) duties_.all_busy();
    duties_.work(*task, desk);
    metrics_.in_flight.fetch_sub(1, std::memory_order_relaxed);
    lock.lock();
    --busy_;
  }
  // One call is heard by one thread.
  poller_.call();
}

// No task is left lying while a thread sleeps: whoever finds none counts as idle before the queue
// can change, and whoever takes one with more behind it calls one that is idle, which does the
// same.
bool Workers::wait_for_task(std::unique_lock<std::mutex>& lock) {
  while (waiting_.empty()) {
    if (leaving_) return false;
    ++idle_;
    lock.unlock();
    const Poller::Happened happened = poller_.wait(-1);
    lock.lock();
    --idle_;
    if (happened.count == 0) continue;
    lock.unlock();
    duties_.look_after(happened);
    lock.lock();
  }
  return true;
}

Workers::Task Workers::take() {
  Task task = std::move(waiting_.front());
  waiting_.pop_front();
  ++busy_;
  metrics_.queued.store(waiting_.size(), std::memory_order_relaxed);
  metrics_.in_flight.fetch_add(1, std::memory_order_relaxed);
  return task;
}

}  // namespace skim::server
