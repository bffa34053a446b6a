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

int threads_wanted(int threads) {
  if (threads < 1) threads = static_cast<int>(std::thread::hardware_concurrency());
  return std::clamp(threads, 1, kMaxThreads);
}

// One call of Batch::ask. Threads take the next text as they become free.
struct Job {
  std::span<const Query> queries;
  Policy policy;
  std::span<Result<Reading>> answers;
  std::atomic<std::size_t> next{0};
};

void answer_one(Session& session, const Query& query, const Policy& policy,
                Result<Reading>& answer) {
  if (!answer) answer = Reading{};
  if (Result<void> asked = session.ask(query, policy, *answer); !asked) {
    answer = tl::make_unexpected(std::move(asked.error()));
  }
}

// Nothing may escape a thread. The messages are short enough to need no memory of their own.
void work(Session& session, Job& job) noexcept {
  for (;;) {
    const std::size_t i = job.next.fetch_add(1, std::memory_order_relaxed);
    if (i >= job.queries.size()) return;
    try {
      answer_one(session, job.queries[i], job.policy, job.answers[i]);
    } catch (const std::bad_alloc&) {
      job.answers[i] = fail(Fault::io, "out of memory");
    } catch (...) {
      job.answers[i] = fail(Fault::io, "text too long");
    }
  }
}

}  // namespace

// The caller's thread works, too: a crew of one starts no thread at all.
struct Batch::Crew {
  Crew(const Model& model, int threads) {
    for (int i = 0; i < threads; ++i) sessions.emplace_back(model);
    helpers.reserve(sessions.size());
    try {
      for (std::size_t i = 1; i < sessions.size(); ++i) {
        helpers.emplace_back([this, i] { help(sessions[i]); });
      }
    } catch (const std::system_error&) {
      // The system gives no more threads; those it gave do the work.
    }
  }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  ~Crew() {
    {
      const std::lock_guard lock(mutex);
      leaving = true;
    }
    called.notify_all();
    for (std::thread& helper : helpers) helper.join();
  }

  void help(Session& session) noexcept {
    std::uint64_t done = 0;
    std::unique_lock lock(mutex);
    for (;;) {
      called.wait(lock, [&] { return leaving || calls != done; });
      if (leaving) return;
      done = calls;
      Job& mine = *job;
      lock.unlock();
      work(session, mine);
      lock.lock();
      if (--busy == 0) finished.notify_one();
    }
  }

  void run(Job& given) {
    {
      const std::lock_guard lock(mutex);
      job = &given;
      busy = helpers.size();
      ++calls;
    }
    called.notify_all();
    work(sessions.front(), given);
    std::unique_lock lock(mutex);
    finished.wait(lock, [&] { return busy == 0; });
  }

  std::vector<Session> sessions;  // one a thread, the caller's first
  std::vector<std::thread> helpers;
  std::mutex mutex;  // guards all below
  std::condition_variable called, finished;
  Job* job = nullptr;
  std::uint64_t calls = 0;
  std::size_t busy = 0;  // helpers that have not finished the present call
  bool leaving = false;
};

Batch::Batch(Model model, int threads)
    : crew_(std::make_unique<Crew>(model, threads_wanted(threads))) {}
Batch::Batch(Batch&&) noexcept = default;
Batch& Batch::operator=(Batch&&) noexcept = default;
Batch::~Batch() = default;

int Batch::threads() const { return 1 + static_cast<int>(crew_->helpers.size()); }

void Batch::ask(std::span<const Query> queries, Policy policy, std::span<Result<Reading>> answers) {
  assert(queries.size() == answers.size());
  Job job;
  job.queries = queries;
  job.policy = policy;
  job.answers = answers;
  crew_->run(job);
}

}  // namespace skim
