#include "skim/batch.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/session_access.h"
#include "skim/session.h"

namespace skim {
namespace {

constexpr int kMaxThreads = 1024;

int resolve_threads(int threads) {
  if (threads < 1) threads = static_cast<int>(std::thread::hardware_concurrency());
  return std::clamp(threads, 1, kMaxThreads);
}

// One call of Batch::read. Threads take the next query as they become free.
struct Job final : QuerySource {
  std::span<const Query> queries;
  Policy policy;
  std::span<Result<Reading>> answers;
  Detail detail = Detail::full;
  std::atomic<std::size_t> taken{0};
  std::size_t max_in_flight = 0;  // per thread, so that every thread gets its share

  bool next(QueryTask& task) noexcept override {
    const std::size_t i = taken.fetch_add(1, std::memory_order_relaxed);
    if (i >= queries.size()) return false;
    task = {&queries[i], policy, &answers[i], detail};
    return true;
  }
};

}  // namespace

// The thread pool of a batch: one session per thread. The calling thread works as well, so that a
// pool of one starts no thread.
struct Batch::ThreadPool {
  ThreadPool(const Model& model, int threads) {
    sessions.reserve(static_cast<std::size_t>(threads));
    workers.reserve(static_cast<std::size_t>(threads));
    add_session(model);
    try {
      for (int i = 1; i < threads; ++i) add_session(model);
    } catch (const std::bad_alloc&) {
      // The pool is smaller.
    }
    try {
      for (std::size_t i = 1; i < sessions.size(); ++i) {
        workers.emplace_back([this, i] { worker_loop(sessions[i]); });
      }
    } catch (const std::exception&) {
      // The system is out of threads or of memory for one; the pool is smaller. Threads that run
      // already must not outlive the constructor.
    }
  }
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool() {
    {
      const std::lock_guard lock(mutex);
      stopping = true;
    }
    job_available.notify_all();
    for (std::thread& worker : workers) worker.join();
  }

  void add_session(const Model& model) {
    Session session(model);
    SessionAccess::prepare_gathering(session);
    sessions.push_back(std::move(session));
  }

  void worker_loop(Session& session) noexcept {
    std::uint64_t last_generation = 0;
    std::unique_lock lock(mutex);
    for (;;) {
      job_available.wait(lock, [&] { return stopping || generation != last_generation; });
      if (stopping) return;
      last_generation = generation;
      Job& current = *job;
      lock.unlock();
      SessionAccess::read(session, current, current.max_in_flight);
      lock.lock();
      if (--active_workers == 0) job_done.notify_one();
    }
  }

  void run(Job& next_job) {
    {
      const std::lock_guard lock(mutex);
      job = &next_job;
      active_workers = workers.size();
      ++generation;
    }
    job_available.notify_all();
    SessionAccess::read(sessions.front(), next_job, next_job.max_in_flight);
    std::unique_lock lock(mutex);
    job_done.wait(lock, [&] { return active_workers == 0; });
  }

  std::vector<Session> sessions;  // one per thread, the caller's first
  std::vector<std::thread> workers;
  std::mutex mutex;  // guards all below
  std::condition_variable job_available, job_done;
  Job* job = nullptr;
  std::uint64_t generation = 0;
  std::size_t active_workers = 0;  // workers that have not finished the current job
  bool stopping = false;
};

Batch::Batch(Model model, int threads)
    : pool_(std::make_unique<ThreadPool>(model, resolve_threads(threads))) {}
Batch::Batch(Batch&&) noexcept = default;
Batch& Batch::operator=(Batch&&) noexcept = default;
Batch::~Batch() = default;

int Batch::threads() const { return 1 + static_cast<int>(pool_->workers.size()); }

void Batch::read(std::span<const Query> queries, Policy policy, std::span<Result<Reading>> answers,
                 Detail detail) {
  assert(queries.size() == answers.size());
  Job job;
  job.queries = queries;
  job.policy = policy;
  job.answers = answers;
  job.detail = detail;
  const auto threads = static_cast<std::size_t>(this->threads());
  job.max_in_flight = (queries.size() + threads - 1) / threads;
  pool_->run(job);
}

}  // namespace skim
