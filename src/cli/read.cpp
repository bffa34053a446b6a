#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "base/file.h"
#include "cli/input.h"
#include "cli/model_choice.h"
#include "cli/output.h"
#include "cli/reading_view.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "skim/session.h"
#include "tasks/text_lines.h"

namespace skim::cli {
namespace {

struct ReadOptions {
  ModelChoice model;
  PolicyChoice policy;
  std::vector<std::string> words;
  std::string file;
  std::string html;
  std::optional<std::string> question;
  std::vector<std::string> choices;
  std::string colour = "auto";
  bool json = false;
  bool quiet = false;
};

void declare_all(Options& options, ReadOptions& chosen) {
  options.add_arguments("TEXT", chosen.words,
                        "the text; without it, or with -, standard input; with --question also a "
                        "file");
  options.add("--file", chosen.file, "FILE", "read the text from a file");
  options.add("--question", chosen.question, "TEXT", "what to ask about the text");
  options.add("--choices", chosen.choices, "A|B|...",
              "the answers to choose from; may be given several times");
  declare(options, chosen.model);
  declare(options, chosen.policy);
  options.add_flag("--json", chosen.json, "answer, words and passes as JSON");
  options.add("--html", chosen.html, "FILE", "also write a page that shows what was read");
  options.add_choice("--color", chosen.colour, {"auto", "always", "never"},
                     "bright and dim words instead of [brackets]");
  options.add_flag("--quiet", chosen.quiet, "the answer alone");
  options.add_exclusive({"TEXT", "--file"});
  options.add_exclusive({"--json", "--quiet"});
  options.add_example("skim read \"a film of rare warmth\"");
  options.add_example("skim read --file review.txt --threshold 0.3 --html review.html");
  options.add_example("skim read --question \"Who built the mill?\" mill.txt");
}

// A single word that has a folder or an ending, as names of files do.
bool looks_like_a_file(const std::string& text) {
  const std::size_t last = text.find_last_of("/.");
  return last != std::string::npos && last + 1 < text.size() &&
         text.find_first_of(" \t\n") == std::string::npos;
}

// Nobody asks about a single word, so with a question one that names a file means the file, and one
// that looks like it and is none is a mistake.
bool means_a_file(const ReadOptions& chosen) {
  if (!chosen.question || chosen.words.size() != 1 || chosen.words[0] == "-") return false;
  std::error_code ignored;
  return std::filesystem::is_regular_file(chosen.words[0], ignored) ||
         looks_like_a_file(chosen.words[0]);
}

Result<std::string> text_of(const ReadOptions& chosen) {
  if (means_a_file(chosen)) return read_text(chosen.words[0]);
  if (!chosen.file.empty() && chosen.file != "-") return read_text(chosen.file);
  const bool from_input =
      chosen.words.empty() || (chosen.words.size() == 1 && chosen.words[0] == "-");
  if (from_input) {
    if (is_terminal(STDIN_FILENO) && !chosen.quiet) {
      complain("read", "type or paste the text and end it with Ctrl-D");
    }
    return read_input();
  }
  std::string text;
  for (const std::string& word : chosen.words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// "a|b" and "c" are three choices.
std::vector<std::string> parted(const std::vector<std::string>& given) {
  std::vector<std::string> choices;
  for (const std::string& some : given) {
    for (std::size_t begin = 0; begin <= some.size();) {
      const std::size_t end = std::min(some.find('|', begin), some.size());
      if (end > begin) choices.push_back(some.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  return choices;
}

struct TimedReading {
  Reading reading;
  double microseconds = 0;
};

// The first time fills the word tables, so that a program that reads one text would measure its
// own start; the best of a few more is what a text costs in use.
Result<TimedReading> ask_and_time(Session& session, const Query& query, Policy policy) {
  using Clock = std::chrono::steady_clock;
  constexpr int kRepeats = 5;
  constexpr std::chrono::milliseconds kPatience{50};
  TimedReading timed;
  if (auto asked = session.ask(query, policy, timed.reading); !asked) {
    return tl::make_unexpected(asked.error());
  }
  // A session may keep what it made of the last question; one in between makes it read this again.
  const Query other{".", query.question == "?" ? "!" : "?", query.choices};
  Reading ignored;
  const auto start = Clock::now();
  for (int i = 0; i < kRepeats && (i == 0 || Clock::now() - start < kPatience); ++i) {
    if (!query.question.empty()) static_cast<void>(session.ask(other, policy, ignored));
    const auto before = Clock::now();
    if (auto asked = session.ask(query, policy, timed.reading); !asked) {
      return tl::make_unexpected(asked.error());
    }
    const double time = std::chrono::duration<double, std::micro>(Clock::now() - before).count();
    timed.microseconds = i == 0 ? time : std::min(timed.microseconds, time);
  }
  return timed;
}

std::string shown(const ReadingView& view, const ReadOptions& chosen) {
  if (chosen.json) {
    std::string json;
    append_reading(json, view, {.words = true, .passes = true});
    return json + "\n";
  }
  if (chosen.quiet) return printable(view.reading.answer.text) + "\n";
  const Ink ink = wants_colour(chosen.colour) ? Ink::colour : Ink::plain;
  std::string text = marked_text(view, ink);
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  return text + (text.empty() ? "" : "\n") + figures_line(view) + "\n";
}

Result<void> read_and_show(const ReadOptions& chosen) {
  ModelChoice choice = chosen.model;
  if (chosen.question) choice.built_in = "questions";
  const auto model = load_model(choice);
  if (!model) return tl::make_unexpected(model.error());
  const auto policy = policy_for(*model, chosen.policy);
  if (!policy) return tl::make_unexpected(policy.error());
  auto text = text_of(chosen);
  if (!text) return tl::make_unexpected(text.error());
  const Query query{std::move(*text), chosen.question.value_or(""), parted(chosen.choices)};
  Session session(*model);
  const auto timed = ask_and_time(session, query, *policy);
  if (!timed) return tl::make_unexpected(timed.error());
  const ReadingView view{query.text, timed->reading,      model->spec(),  model->name(),
                         *policy,    timed->microseconds, query.question, query.choices};
  if (!chosen.html.empty()) {
    if (auto written = write_atomically(chosen.html, reading_page(view)); !written) return written;
  }
  return write_all(STDOUT_FILENO, shown(view, chosen));
}

}  // namespace

int read_verb(Arguments arguments) {
  ReadOptions chosen;
  Options options("read", "Reads one text and shows the answer and which words were read.",
                  "[TEXT] [options]");
  declare_all(options, chosen);
  if (const auto exit_code = options.parse(arguments)) return *exit_code;
  if (const auto fault = fault_of(chosen.policy); !fault.empty()) return wrong_usage("read", fault);
  if (chosen.question && is_blank(*chosen.question))
    return wrong_usage("read", "--question is empty; leave it out to have the text classified");
  const auto done = read_and_show(chosen);
  return done ? static_cast<int>(kDone) : failed("read", done.error());
}

}  // namespace skim::cli
