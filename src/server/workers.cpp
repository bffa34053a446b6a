#include "server/workers.h"

#include <utility>

namespace skim::server {

Workers::Workers(Size size, const std::vector<Served>& models, Metrics& metrics, Work work)
    : room_(size.queue), models_(models), metrics_(metrics), work_(std::move(work)) {
  for (int i = 0; i < size.threads; ++i) threads_.emplace_back([this] { run(); });
}

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    leaving_ = true;
  }
  called_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool Workers::offer(Task task) {
  {
    const std::lock_guard lock(mutex_);
    // A thread that waits will take one at once: that one does not count.
    if (waiting_.size() >= room_ + idle_) return false;
    waiting_.push_back(std::move(task));
    metrics_.queued.store(waiting_.size(), std::memory_order_relaxed);
  }
  called_.notify_one();
  return true;
}

void Workers::run() {
  Desk desk(models_);
  std::unique_lock lock(mutex_);
  for (;;) {
    ++idle_;
    called_.wait(lock, [this] { return leaving_ || !waiting_.empty(); });
    --idle_;
    if (waiting_.empty()) return;
    const Task task = std::move(waiting_.front());
    waiting_.pop_front();
    metrics_.queued.store(waiting_.size(), std::memory_order_relaxed);
    lock.unlock();
    metrics_.in_flight.fetch_add(1, std::memory_order_relaxed);
    work_(*task, desk);
    metrics_.in_flight.fetch_sub(1, std::memory_order_relaxed);
    lock.lock();
  }
}

}  // namespace skim::server
