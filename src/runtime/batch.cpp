#include "skim/batch.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include "skim/session.h"

namespace skim {
namespace {

constexpr int kMaxThreads = 1024;

int resolve_threads(int threads) {
  if (threads < 1) threads = static_cast<int>(std::thread::hardware_concurrency());
  return std::clamp(threads, 1, kMaxThreads);
}

// One call of Batch::read. Threads take the next query as they become free.
struct Job {
  std::span<const Query> queries;
  Policy policy;
  std::span<Result<Reading>> answers;
  std::atomic<std::size_t> next{0};
};

void read_one(Session& session, const Query& query, const Policy& policy, Result<Reading>& answer) {
  if (!answer) answer = Reading{};
  if (Result<void> done = session.read(query, policy, *answer); !done) {
    answer = tl::make_unexpected(std::move(done.error()));
  }
}

// Exceptions must not escape a thread. The messages fit the small-string buffer, so they need no
// memory.
void run_job(Session& session, Job& job) noexcept {
  for (;;) {
    const std::size_t i = job.next.fetch_add(1, std::memory_order_relaxed);
    if (i >= job.queries.size()) return;
    try {
      read_one(session, job.queries[i], job.policy, job.answers[i]);
    } catch (const std::bad_alloc&) {
      job.answers[i] = fail(Fault::io, "out of memory");
    } catch (...) {
      job.answers[i] = fail(Fault::io, "text too long");
    }
  }
}

}  // namespace

// The thread pool of a batch: one session per thread. The calling thread works as well, so that a
// pool of one starts no thread.
struct Batch::ThreadPool {
  ThreadPool(const Model& model, int threads) {
    for (int i = 0; i < threads; ++i) sessions.emplace_back(model);
    workers.reserve(sessions.size());
    try {
      for (std::size_t i = 1; i < sessions.size(); ++i) {
        workers.emplace_back([this, i] { worker_loop(sessions[i]); });
      }
    } catch (const std::system_error&) {
      // The system is out of threads; the pool is smaller.
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

  void worker_loop(Session& session) noexcept {
    std::uint64_t last_generation = 0;
    std::unique_lock lock(mutex);
    for (;;) {
      job_available.wait(lock, [&] { return stopping || generation != last_generation; });
      if (stopping) return;
      last_generation = generation;
      Job& current = *job;
      lock.unlock();
      run_job(session, current);
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
    run_job(sessions.front(), next_job);
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

void Batch::read(std::span<const Query> queries, Policy policy,
                 std::span<Result<Reading>> answers) {
  assert(queries.size() == answers.size());
  Job job;
  job.queries = queries;
  job.policy = policy;
  job.answers = answers;
  pool_->run(job);
}

}  // namespace skim
