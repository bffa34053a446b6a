#include "server/workers.h"

#include <gtest/gtest.h>

#include <atomic>
#include <semaphore>

namespace skim::server {
namespace {

Workers::Task some_task() { return std::make_shared<Connection>(Descriptor(), 7, "", Limits{}); }

TEST(Workers, RefuseWhenTheQueueIsFullAndTakeAgainWhenItIsNot) {
  const std::vector<Served> models;
  Metrics metrics({});
  std::counting_semaphore<> begun(0), go_on(0), ended(0);
  Workers workers({1, 2}, models, metrics, [&](Connection&, Desk&) {
    begun.release();
    go_on.acquire();
    ended.release();
  });
  ASSERT_TRUE(workers.offer(some_task()));
  begun.acquire();  // the only thread is busy now
  EXPECT_TRUE(workers.offer(some_task()));
  EXPECT_TRUE(workers.offer(some_task()));
  EXPECT_FALSE(workers.offer(some_task()));
  EXPECT_EQ(metrics.queued.load(), 2U);
  go_on.release();
  begun.acquire();
  EXPECT_TRUE(workers.offer(some_task()));
  go_on.release(3);
}

TEST(Workers, DoAllThatWasTakenBeforeTheyLeave) {
  const std::vector<Served> models;
  Metrics metrics({});
  std::atomic<int> done{0};
  {
    Workers workers({3, 100}, models, metrics, [&](Connection&, Desk&) { ++done; });
    for (int i = 0; i < 100; ++i) ASSERT_TRUE(workers.offer(some_task()));
  }
  EXPECT_EQ(done, 100);
  EXPECT_EQ(metrics.in_flight.load(), 0U);
}

}  // namespace
}  // namespace skim::server
