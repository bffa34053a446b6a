#include "server/worker_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <semaphore>

namespace skim::server {
namespace {

using testing::ElementsAre;

WorkerPool::Task make_task(std::uint64_t id = 7) {
  return std::make_shared<Connection>(FileDescriptor(), id, "", Limits{});
}

// A pool whose tasks block until the test lets them finish.
struct BlockingPool {
  explicit BlockingPool(WorkerPool::Size size)
      : pool(size, poller, metrics,
             {[this](std::span<const WorkerPool::Task> tasks, WorkerContext&) {
                set_ids(tasks);
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

  // Tasks that may join, or not.
  void submit_all(std::initializer_list<bool> may_join) {
    for (const bool joins : may_join) {
      WorkerPool::Task task = make_task(next_id++);
      task->may_join = joins;
      ASSERT_TRUE(pool.submit(std::move(task)));
    }
    pool.wake_one();
  }
  // Lets the thread finish its task; returns the ids of the next ones.
  std::vector<std::uint64_t> next_group() {
    finish.release();
    started.acquire();
    return ids;
  }

  void set_ids(std::span<const WorkerPool::Task> tasks) {
    const std::lock_guard lock(mutex);
    ids.clear();
    for (const WorkerPool::Task& each : tasks) ids.push_back(each->id);
  }

  std::uint64_t next_id = 1;
  std::mutex mutex;
  std::vector<std::uint64_t> ids;  // of the tasks that were started last
  std::counting_semaphore<> started{0}, finish{0}, notified{0};
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

TEST(WorkerPool, TakesWaitingTasksThatMayJoinInTheirOrder) {
  BlockingPool blocking({1, 100});
  blocking.submit_all({true});
  blocking.started.acquire();
  EXPECT_THAT(blocking.ids, ElementsAre(1));
  blocking.submit_all({true, true, true, false, true, false, false});
  EXPECT_THAT(blocking.next_group(), ElementsAre(2, 3, 4));
  EXPECT_EQ(blocking.metrics.requests_in_flight.load(), 3U);
  EXPECT_EQ(blocking.metrics.queue_depth.load(), 4U);
  blocking.submit_all({true});
  EXPECT_THAT(blocking.next_group(), ElementsAre(5));
  EXPECT_THAT(blocking.next_group(), ElementsAre(6));
  EXPECT_THAT(blocking.next_group(), ElementsAre(7));
  EXPECT_THAT(blocking.next_group(), ElementsAre(8));
  EXPECT_THAT(blocking.next_group(), ElementsAre(9));
}

TEST(WorkerPool, AGroupHasALimitedSize) {
  BlockingPool blocking({1, 100});
  blocking.submit_all({false});
  blocking.started.acquire();
  for (int i = 0; i < 20; ++i) blocking.submit_all({true});
  EXPECT_EQ(blocking.next_group().size(), WorkerPool::kMaxGroup);
  EXPECT_EQ(blocking.next_group().size(), 20 - WorkerPool::kMaxGroup);
}

// Two of three threads stay busy: the third one leaves a share for each of them.
TEST(WorkerPool, LeavesTasksForOtherThreads) {
  Metrics metrics({});
  Poller poller;
  std::counting_semaphore<> started{0}, finish{0};
  std::atomic<std::size_t> size{0};
  WorkerPool pool({3, 100}, poller, metrics,
                  {[&](std::span<const WorkerPool::Task> tasks, WorkerContext&) {
                     size = tasks.size();
                     started.release();
                     finish.acquire();
                   },
                   {},
                   {}});
  pool.start();
  const auto submit = [&](int count) {
    for (int i = 0; i < count; ++i) {
      WorkerPool::Task task = make_task();
      task->may_join = true;
      ASSERT_TRUE(pool.submit(std::move(task)));
    }
    pool.wake_one();
  };
  for (int i = 0; i < 3; ++i) {
    submit(1);
    started.acquire();
    EXPECT_EQ(size, 1U);
  }
  submit(10);
  for (const std::size_t expected : {4U, 2U, 2U, 1U, 1U}) {
    finish.release();
    started.acquire();
    EXPECT_EQ(size, expected);
  }
  EXPECT_EQ(metrics.queue_depth.load(), 0U);
  finish.release(100);
}

TEST(WorkerPool, DestructorExecutesQueuedTasks) {
  Metrics metrics({});
  Poller poller;
  std::atomic<int> executed{0};
  {
    WorkerPool pool(
        {3, 100}, poller, metrics,
        {[&](std::span<const WorkerPool::Task>, WorkerContext&) { ++executed; }, {}, {}});
    pool.start();
    for (int i = 0; i < 100; ++i) ASSERT_TRUE(pool.submit(make_task()));
  }
  EXPECT_EQ(executed, 100);
  EXPECT_EQ(metrics.requests_in_flight.load(), 0U);
}

// Each task waits until the others have started: if one thread stayed asleep, the test would hang.
TEST(WorkerPool, WakesAllThreadsForConcurrentTasks) {
  constexpr int kThreads = 4;
  Metrics metrics({});
  Poller poller;
  std::atomic<int> started{0}, finished{0};
  WorkerPool pool({kThreads, kThreads}, poller, metrics,
                  {[&](std::span<const WorkerPool::Task>, WorkerContext&) {
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
