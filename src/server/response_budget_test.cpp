#include "server/response_budget.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace skim::server {
namespace {

using BudgetStatus = ResponseBudget::Status;
using Reservation = ResponseBudget::Reservation;

constexpr std::size_t kUnit = 10 * ResponseBudget::kUncountedBytes;

TEST(ResponseBudget, ReservationsAreReturnedOnDestruction) {
  std::atomic<std::uint64_t> used{0};
  const ResponseBudget budget(3 * kUnit, used);
  {
    Reservation first, second;
    EXPECT_EQ(budget.extend(first, kUnit), BudgetStatus::reserved);
    EXPECT_EQ(budget.extend(second, kUnit), BudgetStatus::reserved);
    EXPECT_EQ(used.load(), 2 * kUnit);
    EXPECT_EQ(budget.extend(first, 2 * kUnit), BudgetStatus::reserved);
    EXPECT_EQ(used.load(), 3 * kUnit);
    EXPECT_EQ(budget.extend(second, kUnit + 1), BudgetStatus::exhausted);
    EXPECT_EQ(budget.extend(second, kUnit), BudgetStatus::reserved);
    first = {};
    EXPECT_EQ(used.load(), kUnit);
    const Reservation moved = std::move(second);
    EXPECT_EQ(used.load(), kUnit);
  }
  EXPECT_EQ(used.load(), 0U);
}

TEST(ResponseBudget, SmallResponsesAreNotCounted) {
  std::atomic<std::uint64_t> used{0};
  const ResponseBudget budget(1, used);
  Reservation reservation;
  EXPECT_EQ(budget.extend(reservation, ResponseBudget::kUncountedBytes), BudgetStatus::reserved);
  EXPECT_EQ(used.load(), 0U);
}

TEST(ResponseBudget, AResponseThatCanNeverFitIsTooLarge) {
  std::atomic<std::uint64_t> used{0};
  const ResponseBudget budget(kUnit, used);
  Reservation reservation;
  EXPECT_EQ(budget.extend(reservation, kUnit + 1), BudgetStatus::too_large);
  EXPECT_EQ(used.load(), 0U);
}

TEST(ResponseBudget, ConcurrentReservationsNeverExceedTheLimit) {
  std::atomic<std::uint64_t> used{0};
  const ResponseBudget budget(2 * kUnit, used);
  std::atomic<bool> exceeded{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 2000; ++round) {
        Reservation reservation;
        static_cast<void>(budget.extend(reservation, kUnit));
        if (used.load() > 2 * kUnit) exceeded = true;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(exceeded);
  EXPECT_EQ(used.load(), 0U);
}

}  // namespace
}  // namespace skim::server
