#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/file_descriptor.h"
#include "base/json.h"
#include "base/result_macros.h"
#include "cli/abstain_choice.h"
#include "cli/input.h"
#include "cli/model_choice.h"
#include "cli/output.h"
#include "cli/reading_text.h"
#include "cli/table.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "skim/batch.h"
#include "tasks/format.h"
#include "tasks/text_lines.h"
#include "wire/query_json.h"
#include "wire/reading_json.h"

namespace skim::cli {
namespace {

// Lines per block and thread. At the end of a block fewer and fewer texts are in flight, so it
// should hold many times as many as a thread reads at once.
constexpr std::size_t kLinesPerThread = 512;
// The memory for longer texts and outputs is released after their block: every text in flight keeps
// its own.
constexpr std::size_t kMaxKeptTextBytes = std::size_t{64} << 10U;
constexpr std::size_t kMaxKeptOutputBytes = std::size_t{4} << 20U;

struct RunOptions {
  ModelChoice model;
  PolicyChoice policy;
  AbstainChoice abstain;
  std::string file = "-";
  std::string input = "auto";
  int threads = 0;
  bool json = false;
  bool words = false;
  bool quiet = false;
};

void declare(Options& options, RunOptions& chosen) {
  options.add_argument("FILE", chosen.file, "one text per line (default -, standard input)",
                       Options::Need::optional);
  declare(options, chosen.model);
  declare(options, chosen.policy);
  declare(options, chosen.abstain);
  options.add("--threads", chosen.threads, "N", "number of threads (default: one per core)");
  options.add_bounds("--threads", 0, 1024);
  options.add_choice("--input", chosen.input, {"auto", "text", "json"},
                     "input format; auto detects JSON by a first line that starts with {\"");
  options.add_flag("--json", chosen.json, "one JSON object per line instead of plain answers");
  options.add_flag("--words", chosen.words, "with --json: include words and passes");
  options.add_flag("--quiet", chosen.quiet, "no notes");
  options.add_example("skim run reviews.txt > answers.tsv");
  options.add_example("tail -f log.txt | skim run --json");
}

// The parsed lines of a block, and the field "id" of JSON lines, which is echoed.
struct ParsedLines {
  std::vector<Query> queries;
  std::vector<Json> ids;
  std::vector<std::size_t> numbers;  // line numbers
};

// Detects JSON by its start, so that malformed JSON is reported instead of read as text.
bool starts_like_object(std::string_view line) {
  const std::size_t brace = line.find_first_not_of(" \t");
  if (brace == std::string_view::npos || line[brace] != '{') return false;
  const std::size_t name = line.find_first_not_of(" \t", brace + 1);
  return name != std::string_view::npos && line[name] == '"';
}

Result<Query> parse_query_line(JsonParser& parser, std::string_view line, std::size_t number,
                               Json& id) {
  const std::string where = "line " + std::to_string(number);
  SKIM_ASSIGN_OR_RETURN(auto object, parser.parse(line, where));
  auto query = parse_query(object);
  if (!query) return fail(Fault::format, where + ": " + query.error().message);
  if (const auto found = object.find("id"); found != object.end()) id = *found;
  return std::move(*query);
}

class Runner {
 public:
  Runner(const Model& model, Policy policy, const RunOptions& chosen)
      : model_(model),
        policy_(policy),
        chosen_(chosen),
        batch_(std::in_place, model, chosen.threads) {}

  // Writes the answers block by block, in order. An error in a line is returned after the answers
  // of the lines before it.
  Result<void> run(const InputFile& input) {
    LineReader lines(input.descriptor(), block_limits());
    for (bool first = true;; first = false) {
      auto block = lines.next_block();
      if (!block) return input.error(block.error());
      if (block->empty()) return {};
      if (first) detect_input(*block);
      const auto parsed = parse_block(*block, lines.first_line());
      SKIM_RETURN_IF_ERROR(answer_block(input));
      if (!parsed) return input.error(parsed.error());
    }
  }

 private:
  LineReader::Limits block_limits() const {
    LineReader::Limits limits;
    limits.lines =
        std::max(limits.lines, kLinesPerThread * static_cast<std::size_t>(batch_->threads()));
    return limits;
  }

  // The first non-blank line determines the format of all lines.
  void detect_input(std::vector<std::string_view>& block) {
    block.front() = strip_bom(block.front());
    const auto line = std::find_if_not(block.begin(), block.end(), is_blank);
    json_input_ = chosen_.input == "json" ||
                  (chosen_.input == "auto" && line != block.end() && starts_like_object(*line));
  }

  Result<void> parse_block(const std::vector<std::string_view>& block, std::size_t first_line) {
    lines_.queries.clear();
    lines_.ids.clear();
    lines_.numbers.clear();
    longest_ = 0;
    for (std::size_t i = 0; i < block.size(); ++i) {
      Json id;
      if (json_input_) {
        if (is_blank(block[i])) continue;
        SKIM_ASSIGN_OR_RETURN(auto query,
                              parse_query_line(json_parser_, block[i], first_line + i, id));
        lines_.queries.push_back(std::move(query));
      } else {
        lines_.queries.push_back({std::string(block[i]), {}, {}});
      }
      lines_.ids.push_back(std::move(id));
      lines_.numbers.push_back(first_line + i);
      longest_ = std::max(longest_, block[i].size());
    }
    return {};
  }

  Result<void> answer_block(const InputFile& input) {
    using Clock = std::chrono::steady_clock;
    const std::size_t count = lines_.queries.size();
    if (count == 0) return {};
    if (readings_.size() < count) readings_.resize(count);
    const auto start = Clock::now();
    batch_->read(lines_.queries, policy_, std::span(readings_).first(count),
                 chosen_.json ? Detail::full : Detail::answer);
    const double time = std::chrono::duration<double, std::micro>(Clock::now() - start).count();
    std::string out;
    Result<void> status;
    for (std::size_t i = 0; i < count && status; ++i) {
      if (readings_[i]) {
        append_answer(i, time / static_cast<double>(count), out);
      } else {
        const Error& error = readings_[i].error();
        status = input.error(
            {error.fault, "line " + std::to_string(lines_.numbers[i]) + ": " + error.message});
      }
    }
    // Readings and sessions are reused for their memory; very large ones are released.
    if (out.size() > kMaxKeptOutputBytes || longest_ > kMaxKeptTextBytes) {
      readings_.clear();
      batch_.emplace(model_, chosen_.threads);
    }
    SKIM_RETURN_IF_ERROR(write_all(STDOUT_FILENO, out));
    return status;
  }

  void append_answer(std::size_t i, double microseconds, std::string& out) const {
    const Reading& reading = *readings_[i];
    const ReadingView view{lines_.queries[i].text,
                           reading,
                           model_.spec(),
                           model_.name(),
                           policy_,
                           microseconds,
                           lines_.queries[i].question,
                           lines_.queries[i].choices,
                           {},
                           chosen_.abstain.below};
    if (!chosen_.json) {
      const std::string score = format_number(static_cast<double>(reading.answer.score), 4);
      out += is_abstained(view) ? printable(chosen_.abstain.label) + "\t" + score
                                : answer_line(reading, model_.spec());
      out += "\n";
      return;
    }
    append_reading(out, view, {.words = chosen_.words, .passes = chosen_.words});
    if (!lines_.ids[i].is_null()) {
      out.pop_back();
      out += ",\"id\":" + to_text(lines_.ids[i]) + "}";
    }
    out += "\n";
  }

  const Model& model_;
  Policy policy_;
  const RunOptions& chosen_;
  std::optional<Batch> batch_;
  bool json_input_ = false;
  JsonParser json_parser_;
  ParsedLines lines_;
  std::size_t longest_ = 0;  // bytes of the longest line of the current block
  std::vector<Result<Reading>> readings_;
};

Result<void> run_all(const RunOptions& chosen) {
  SKIM_ASSIGN_OR_RETURN(const auto input, InputFile::open(chosen.file));
  SKIM_ASSIGN_OR_RETURN(const auto model, load_model(chosen.model));
  SKIM_ASSIGN_OR_RETURN(const auto policy, policy_for(model, chosen.policy));
  SKIM_RETURN_IF_ERROR(check(chosen.abstain, model));
  if (is_terminal(input.descriptor()) && !chosen.quiet) {
    print_message("run", "type one text per line and end with Ctrl-D");
  }
  return Runner(model, policy, chosen).run(input);
}

}  // namespace

int run_verb(Arguments arguments) {
  RunOptions chosen;
  Options options(
      "run", "Reads many texts: one text per input line, one answer per output line, in order.",
      "[FILE] [options]");
  declare(options, chosen);
  if (const auto exit_code = options.parse(arguments)) return *exit_code;
  if (const auto fault = validate(chosen.policy); !fault.empty()) return usage_error("run", fault);
  if (const auto fault = validate(chosen.abstain); !fault.empty()) return usage_error("run", fault);
  if (chosen.words && !chosen.json) return usage_error("run", "--words needs --json");
  const auto done = run_all(chosen);
  return done ? static_cast<int>(kSuccess) : failed("run", done.error());
}

}  // namespace skim::cli
