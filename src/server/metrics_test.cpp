#include "server/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace skim::server {
namespace {

using std::chrono::microseconds;
using testing::HasSubstr;
using testing::Not;

TEST(Metrics, CountsRequestsByRouteAndStatus) {
  Metrics metrics({"m"});
  metrics.record({.route = Route::read}, 200, microseconds(10));
  metrics.record({.route = Route::read}, 200, microseconds(10));
  metrics.record({.route = Route::other}, 404, microseconds(10));
  metrics.record({.route = Route::other}, 499, microseconds(10));
  const std::string text = metrics.exposition();
  EXPECT_THAT(text, HasSubstr("skim_requests_total{route=\"/v1/read\",status=\"200\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("skim_requests_total{route=\"other\",status=\"404\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("skim_requests_total{route=\"other\",status=\"other\"} 1\n"));
  EXPECT_THAT(text, Not(HasSubstr("status=\"500\"")));
}

TEST(Metrics, HistogramBucketsAreCumulative) {
  Metrics metrics({"m"});
  for (const int time : {50, 100, 101, 60000000}) {
    metrics.record({.route = Route::batch}, 200, microseconds(time));
  }
  const std::string text = metrics.exposition();
  const std::string name = "skim_request_duration_seconds_bucket{route=\"/v1/read/batch\",le=";
  EXPECT_THAT(text, HasSubstr(name + "\"0.0001\"} 2\n"));
  EXPECT_THAT(text, HasSubstr(name + "\"0.00025\"} 3\n"));
  EXPECT_THAT(text, HasSubstr(name + "\"10.0\"} 3\n"));
  EXPECT_THAT(text, HasSubstr(name + "\"+Inf\"} 4\n"));
  EXPECT_THAT(text, HasSubstr("skim_request_duration_seconds_count{route=\"/v1/read/batch\"} 4\n"));
  EXPECT_THAT(text,
              HasSubstr("skim_request_duration_seconds_sum{route=\"/v1/read/batch\"} 60.0003\n"));
}

TEST(Metrics, CountsRequestsThatWereReadTogether) {
  Metrics metrics({"m"});
  for (const std::size_t size : {1U, 1U, 3U, 16U}) metrics.record_group(size);
  const std::string text = metrics.exposition();
  EXPECT_THAT(text, HasSubstr("skim_read_group_size_bucket{le=\"1\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("skim_read_group_size_bucket{le=\"2\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("skim_read_group_size_bucket{le=\"4\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("skim_read_group_size_bucket{le=\"16\"} 4\n"));
  EXPECT_THAT(text, HasSubstr("skim_read_group_size_bucket{le=\"+Inf\"} 4\n"));
  EXPECT_THAT(text, HasSubstr("skim_read_group_size_sum 21\n"));
  EXPECT_THAT(text, HasSubstr("skim_read_group_size_count 4\n"));
}

TEST(Metrics, CountsReloadsByModelAndResult) {
  Metrics metrics({"a", "b"});
  metrics.record_reload(0, ReloadResult::kept);
  metrics.record_reload(1, ReloadResult::failed);
  metrics.record_reload(1, ReloadResult::failed);
  const std::string text = metrics.exposition();
  EXPECT_THAT(text, HasSubstr("skim_model_reloads_total{model=\"a\",result=\"kept\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("skim_model_reloads_total{model=\"b\",result=\"failed\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("skim_model_reloads_total{model=\"b\",result=\"reloaded\"} 0\n"));
}

TEST(Metrics, CountsWordsByModelAndAction) {
  Metrics metrics({"a", "b"});
  metrics.record({Route::read, "b", 1, 10, 3}, 200, microseconds(1));
  metrics.record({Route::batch, "b", 2, 5, 5}, 200, microseconds(1));
  const std::string text = metrics.exposition();
  EXPECT_THAT(text, HasSubstr("skim_texts_total{model=\"b\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("skim_words_total{model=\"b\",action=\"read\"} 8\n"));
  EXPECT_THAT(text, HasSubstr("skim_words_total{model=\"b\",action=\"skimmed\"} 7\n"));
  EXPECT_THAT(text, HasSubstr("skim_words_total{model=\"a\",action=\"read\"} 0\n"));
}

}  // namespace
}  // namespace skim::server
