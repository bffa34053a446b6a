#include "eval/early_answer.h"

#include <array>
#include <cstddef>

#include "base/result_macros.h"
#include "eval/report.h"
#include "eval/tally.h"

namespace skim {

Result<std::vector<EarlyAnswerRow>> measure_early_answers(Batch& batch, const TestSet& set,
                                                          Policy policy, const Progress& progress) {
  constexpr std::array kConfidences = {0.8F, 0.9F, 0.95F, 0.98F, 0.99F};
  std::vector<EarlyAnswerRow> rows;
  for (const float confident : kConfidences) {
    policy.confident = confident;
    SKIM_ASSIGN_OR_RETURN(const auto sums,
                          tally(batch, set.queries, policy,
                                sub_progress(progress, rows.size(), kConfidences.size())));
    if (rows.empty() && sums.unseen == 0) break;  // nor will it stop at a higher confidence
    rows.push_back({confident, sums.metrics(set).accuracy, sums.unseen_share(), sums.work()});
  }
  return rows;
}

Json to_json(const std::vector<EarlyAnswerRow>& rows) {
  Json list = Json::array();
  for (const EarlyAnswerRow& row : rows)
    list.push_back({{"confident", round_significant(static_cast<double>(row.confident))},
                    {"accuracy", round_significant(row.accuracy)},
                    {"unseen_share", round_significant(row.unseen_share)},
                    {"work", round_significant(row.work)}});
  return list;
}

}  // namespace skim
