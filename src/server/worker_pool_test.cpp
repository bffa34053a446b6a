#include "server/worker_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <semaphore>

namespace skim::server {
namespace {

WorkerPool::Task make_task() {
  return std::make_shared<Connection>(FileDescriptor(), 7, "", Limits{});
}

// A pool whose tasks block until the test lets them finish.
struct BlockingPool {
  explicit BlockingPool(WorkerPool::Size size)
      : pool(size, poller, models, metrics,
             {[this](Connection&, WorkerContext&) {
                started.release();
                finish.acquire();
              },
              {},
              [this] { notified.release(); }}) {
    pool.start();
  }
  ~BlockingPool() { finish.release(1000); }

  bool submit() {
    const bool submitted = pool.submit(make_task());
    pool.wake_one();
    return submitted;
  }

  std::counting_semaphore<> started{0}, finish{0}, notified{0};
  std::vector<ServedModel> models;
  Metrics metrics{{}};
  Poller poller;
  WorkerPool pool;
};

TEST(WorkerPool, RejectsTasksWhileTheQueueIsFull) {
  BlockingPool blocking({1, 2});
  ASSERT_TRUE(blocking.submit());
  blocking.started.acquire();  // the only thread is busy now
  EXPECT_TRUE(blocking.submit());
  EXPECT_TRUE(blocking.submit());
  EXPECT_FALSE(blocking.submit());
  EXPECT_EQ(blocking.metrics.queue_depth.load(), 2U);
  blocking.finish.release();
  blocking.started.acquire();
  EXPECT_TRUE(blocking.submit());
}

TEST(WorkerPool, NotifiesOnceWhenAllThreadsAreBusy) {
  BlockingPool blocking({2, 2});
  EXPECT_FALSE(blocking.pool.notify_when_all_busy());
  blocking.submit();
  blocking.started.acquire();
  EXPECT_FALSE(blocking.pool.all_busy());
  blocking.submit();
  blocking.notified.acquire();
  blocking.started.acquire();
  EXPECT_TRUE(blocking.pool.notify_when_all_busy());
  blocking.submit();
  blocking.finish.release();
  blocking.started.acquire();
  EXPECT_FALSE(blocking.notified.try_acquire());
}

TEST(WorkerPool, DestructorExecutesQueuedTasks) {
  const std::vector<ServedModel> models;
  Metrics metrics({});
  Poller poller;
  std::atomic<int> executed{0};
  {
    WorkerPool pool({3, 100}, poller, models, metrics,
                    {[&](Connection&, WorkerContext&) { ++executed; }, {}, {}});
    pool.start();
    for (int i = 0; i < 100; ++i) ASSERT_TRUE(pool.submit(make_task()));
  }
  EXPECT_EQ(executed, 100);
  EXPECT_EQ(metrics.requests_in_flight.load(), 0U);
}

// Each task waits until the others have started: if one thread stayed asleep, the test would hang.
TEST(WorkerPool, WakesAllThreadsForConcurrentTasks) {
  constexpr int kThreads = 4;
  const std::vector<ServedModel> models;
  Metrics metrics({});
  Poller poller;
  std::atomic<int> started{0}, finished{0};
  WorkerPool pool({kThreads, kThreads}, poller, models, metrics,
                  {[&](Connection&, WorkerContext&) {
                     const int all = (started++ / kThreads + 1) * kThreads;
                     while (started < all) std::this_thread::yield();
                     ++finished;
                   },
                   {},
                   {}});
  pool.start();
  for (int round = 1; round <= 200; ++round) {
    for (int i = 0; i < kThreads; ++i) ASSERT_TRUE(pool.submit(make_task()));
    pool.wake_one();
    while (finished < round * kThreads) std::this_thread::yield();
  }
}

}  // namespace
}  // namespace skim::server
