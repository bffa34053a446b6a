#include "server/workers.h"

#include <gtest/gtest.h>

#include <atomic>
#include <semaphore>

namespace skim::server {
namespace {

Workers::Task some_task() { return std::make_shared<Connection>(Descriptor(), 7, "", Limits{}); }

// Workers whose tasks take as long as the test wants.
struct Held {
  explicit Held(Workers::Size size)
      : workers(size, poller, models, metrics,
                {[this](Connection&, Desk&) {
                   begun.release();
                   go_on.acquire();
                 },
                 {},
                 [this] { told.release(); }}) {
    workers.start();
  }
  ~Held() { go_on.release(1000); }

  bool offer() {
    const bool taken = workers.offer(some_task());
    workers.rouse();
    return taken;
  }

  std::counting_semaphore<> begun{0}, go_on{0}, told{0};
  std::vector<Served> models;
  Metrics metrics{{}};
  Poller poller;
  Workers workers;
};

TEST(Workers, RefuseWhenTheQueueIsFullAndTakeAgainWhenItIsNot) {
  Held held({1, 2});
  ASSERT_TRUE(held.offer());
  held.begun.acquire();  // the only thread is busy now
  EXPECT_TRUE(held.offer());
  EXPECT_TRUE(held.offer());
  EXPECT_FALSE(held.offer());
  EXPECT_EQ(held.metrics.queued.load(), 2U);
  held.go_on.release();
  held.begun.acquire();
  EXPECT_TRUE(held.offer());
}

TEST(Workers, TellOnceWhenAllAreBusy) {
  Held held({2, 2});
  EXPECT_FALSE(held.workers.tell_when_all_busy());
  held.offer();
  held.begun.acquire();
  EXPECT_FALSE(held.workers.all_busy());
  held.offer();
  held.told.acquire();
  held.begun.acquire();
  EXPECT_TRUE(held.workers.tell_when_all_busy());
  held.offer();
  held.go_on.release();
  held.begun.acquire();
  EXPECT_FALSE(held.told.try_acquire());
}

TEST(Workers, DoAllThatWasTakenBeforeTheyLeave) {
  const std::vector<Served> models;
  Metrics metrics({});
  Poller poller;
  std::atomic<int> done{0};
  {
    Workers workers({3, 100}, poller, models, metrics,
                    {[&](Connection&, Desk&) { ++done; }, {}, {}});
    workers.start();
    for (int i = 0; i < 100; ++i) ASSERT_TRUE(workers.offer(some_task()));
  }
  EXPECT_EQ(done, 100);
  EXPECT_EQ(metrics.in_flight.load(), 0U);
}

// Each task needs all the others to be under way: were one thread left sleeping, this would not
// end.
TEST(Workers, AreAllWokenForTasksThatComeTogether) {
  constexpr int kThreads = 4;
  const std::vector<Served> models;
  Metrics metrics({});
  Poller poller;
  std::atomic<int> begun{0}, ended{0};
  Workers workers({kThreads, kThreads}, poller, models, metrics,
                  {[&](Connection&, Desk&) {
                     const int all = (begun++ / kThreads + 1) * kThreads;
                     while (begun < all) std::this_thread::yield();
                     ++ended;
                   },
                   {},
                   {}});
  workers.start();
  for (int round = 1; round <= 200; ++round) {
    for (int i = 0; i < kThreads; ++i) ASSERT_TRUE(workers.offer(some_task()));
    workers.rouse();
    while (ended < round * kThreads) std::this_thread::yield();
  }
}

}  // namespace
}  // namespace skim::server
