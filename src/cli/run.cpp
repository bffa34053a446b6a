#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "cli/html.h"
#include "cli/input.h"
#include "cli/model_choice.h"
#include "cli/output.h"
#include "cli/reading_view.h"
#include "cli/verbs.h"
#include "skim/batch.h"
#include "tasks/format.h"
#include "tasks/text_lines.h"
#include "wire/query_json.h"

namespace skim::cli {
namespace {

constexpr std::size_t kGiant = std::size_t{4} << 20U;

struct RunOptions {
  ModelChoice model;
  PolicyChoice policy;
  std::string file = "-";
  std::string input = "auto";
  int threads = 0;
  bool json = false;
  bool words = false;
};

void declare_all(Options& options, RunOptions& chosen) {
  options.add_argument("FILE", chosen.file, "one text a line (default -, standard input)",
                       Options::Need::optional);
  declare(options, chosen.model);
  declare(options, chosen.policy);
  options.add("--threads", chosen.threads, "N", "texts read at a time (default: one a core)");
  options.add_choice(
      "--input", chosen.input, {"auto", "text", "json"},
      "what a line is; auto takes JSON if the first line starts like an object, {\"");
  options.add_flag("--json", chosen.json, "a JSON object a line instead of label<TAB>score");
  options.add_flag("--words", chosen.words, "with --json: words and passes, too");
  options.add_example("skim run reviews.txt > answers.tsv");
  options.add_example("tail -f log.txt | skim run --json");
}

// A line made into a question, and the field "id" of a JSON line, which is handed back.
struct Asked {
  std::vector<Query> queries;
  std::vector<Json> ids;
  std::vector<std::size_t> lines;
};

// However broken the rest may be: what starts like an object was not meant as text.
bool starts_like_an_object(std::string_view line) {
  const std::size_t brace = line.find_first_not_of(" \t");
  if (brace == std::string_view::npos || line[brace] != '{') return false;
  const std::size_t name = line.find_first_not_of(" \t", brace + 1);
  return name != std::string_view::npos && line[name] == '"';
}

Result<Query> query_of(std::string_view line, std::size_t number, Json& id) {
  const std::string where = "line " + std::to_string(number);
  auto object = parse_json(line, where);
  if (!object) return tl::make_unexpected(object.error());
  auto query = take_query(*object);
  if (!query) return fail(Fault::format, where + ": " + query.error().message);
  if (const auto found = object->find("id"); found != object->end()) id = *found;
  return std::move(*query);
}

class Runner {
 public:
  Runner(const Model& model, Policy policy, const RunOptions& chosen)
      : model_(model),
        policy_(policy),
        chosen_(chosen),
        batch_(std::in_place, model, chosen.threads) {}

  // Answers go out block by block, in order. An error of a line comes after the answers before it.
  Result<void> run(int descriptor) {
    LineReader lines(descriptor);
    for (bool first = true;; first = false) {
      auto block = lines.next_block();
      if (!block) return in_input(block.error());
      if (block->empty()) return {};
      if (first) begin(*block);
      const auto understood = take(*block, lines.first_line());
      if (auto answered = answer(); !answered) return answered;
      if (!understood) return in_input(understood.error());
    }
  }

 private:
  tl::unexpected<Error> in_input(const Error& error) const {
    const std::string name = chosen_.file == "-" ? "" : chosen_.file + ": ";
    return fail(error.fault, name + error.message);
  }

  // The first line that is not blank decides what all lines are.
  void begin(std::vector<std::string_view>& block) {
    block.front() = without_byte_order_mark(block.front());
    const auto line = std::find_if_not(block.begin(), block.end(), is_blank);
    json_input_ = chosen_.input == "json" ||
                  (chosen_.input == "auto" && line != block.end() && starts_like_an_object(*line));
  }

  Result<void> take(const std::vector<std::string_view>& block, std::size_t first_line) {
    asked_.queries.clear();
    asked_.ids.clear();
    asked_.lines.clear();
    bytes_ = 0;
    for (std::size_t i = 0; i < block.size(); ++i) {
      Json id;
      if (json_input_) {
        if (is_blank(block[i])) continue;
        auto query = query_of(block[i], first_line + i, id);
        if (!query) return tl::make_unexpected(query.error());
        asked_.queries.push_back(std::move(*query));
      } else {
        asked_.queries.push_back({std::string(block[i]), {}, {}});
      }
      asked_.ids.push_back(std::move(id));
      asked_.lines.push_back(first_line + i);
      bytes_ += block[i].size();
    }
    return {};
  }

  Result<void> answer() {
    using Clock = std::chrono::steady_clock;
    const std::size_t count = asked_.queries.size();
    if (count == 0) return {};
    if (readings_.size() < count) readings_.resize(count);
    const auto start = Clock::now();
    batch_->ask(asked_.queries, policy_, std::span(readings_).first(count));
    const double time = std::chrono::duration<double, std::micro>(Clock::now() - start).count();
    std::string out;
    Result<void> fine;
    for (std::size_t i = 0; i < count && fine; ++i) {
      if (readings_[i]) {
        append_answer(i, time / static_cast<double>(count), out);
      } else {
        const Error& error = readings_[i].error();
        fine = in_input(
            {error.fault, "line " + std::to_string(asked_.lines[i]) + ": " + error.message});
      }
    }
    // Readings and sessions are used again for their memory, but not for that of a giant.
    if (out.size() > kGiant || bytes_ > kGiant) {
      readings_.clear();
      batch_.emplace(model_, chosen_.threads);
    }
    if (auto written = write_all(STDOUT_FILENO, out); !written) return written;
    return fine;
  }

  void append_answer(std::size_t i, double microseconds, std::string& out) const {
    const Reading& reading = *readings_[i];
    if (!chosen_.json) {
      out += printable(reading.answer.text) + "\t" +
             number_text(static_cast<double>(reading.answer.score), 4) + "\n";
      return;
    }
    const ReadingView view{asked_.queries[i].text,
                           reading,
                           model_.spec(),
                           model_.name(),
                           policy_,
                           microseconds,
                           asked_.queries[i].question,
                           asked_.queries[i].choices};
    append_reading(out, view, {.words = chosen_.words, .passes = chosen_.words});
    if (!asked_.ids[i].is_null()) {
      out.pop_back();
      out += ",\"id\":" + to_text(asked_.ids[i]) + "}";
    }
    out += "\n";
  }

  const Model& model_;
  Policy policy_;
  const RunOptions& chosen_;
  std::optional<Batch> batch_;
  bool json_input_ = false;
  Asked asked_;
  std::size_t bytes_ = 0;  // of the lines in asked_
  std::vector<Result<Reading>> readings_;
};

// A descriptor that closes itself, unless it is standard input.
class InputFile {
 public:
  explicit InputFile(const std::string& name)
      : descriptor_(name == "-" ? STDIN_FILENO : ::open(name.c_str(), O_RDONLY | O_CLOEXEC)) {}
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile() {
    if (descriptor_ > STDIN_FILENO) ::close(descriptor_);
  }
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

Result<void> run_all(const RunOptions& chosen) {
  const InputFile input(chosen.file);
  if (input.descriptor() < 0) {
    return fail(Fault::io, chosen.file + ": cannot open it: " + std::strerror(errno));
  }
  const auto model = load_model(chosen.model);
  if (!model) return tl::make_unexpected(model.error());
  const auto policy = policy_for(*model, chosen.policy);
  if (!policy) return tl::make_unexpected(policy.error());
  return Runner(*model, *policy, chosen).run(input.descriptor());
}

}  // namespace

int run_verb(Arguments arguments) {
  RunOptions chosen;
  Options options("run", "Answers many texts: one text a line in, one answer a line out, in order.",
                  "[FILE] [options]");
  declare_all(options, chosen);
  if (const auto exit_code = options.parse(arguments)) return *exit_code;
  if (const auto fault = fault_of(chosen.policy); !fault.empty()) return wrong_usage("run", fault);
  if (chosen.words && !chosen.json) return wrong_usage("run", "--words needs --json");
  const auto done = run_all(chosen);
  return done ? static_cast<int>(kDone) : failed("run", done.error());
}

}  // namespace skim::cli
