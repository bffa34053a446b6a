#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "base/file.h"
#include "base/result_macros.h"
#include "cli/abstain_choice.h"
#include "cli/html_page.h"
#include "cli/input.h"
#include "cli/model_choice.h"
#include "cli/output.h"
#include "cli/output_files.h"
#include "cli/read_timing.h"
#include "cli/reading_text.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "skim/session.h"
#include "tasks/text_lines.h"
#include "wire/model_json.h"

namespace skim::cli {
namespace {

struct ReadOptions {
  ModelChoice model;
  PolicyChoice policy;
  AbstainChoice abstain;
  std::vector<std::string> words;
  std::string file;
  std::string html;
  std::optional<std::string> question;
  std::vector<std::string> choices;
  std::string colour = "auto";
  bool json = false;
  bool quiet = false;
};

void declare(Options& options, ReadOptions& chosen) {
  options.add_arguments("TEXT", chosen.words,
                        "the text; standard input when absent or -; with --question also the name "
                        "of a file");
  options.add("--file", chosen.file, "FILE", "read the text from a file");
  options.add("--question", chosen.question, "TEXT", "a question about the text");
  options.add("--choices", chosen.choices, "A|B|...", "the candidate answers; may be repeated");
  declare(options, chosen.model);
  declare(options, chosen.policy);
  declare(options, chosen.abstain);
  options.add_flag("--json", chosen.json, "answer, words and passes as JSON");
  options.add("--html", chosen.html, "FILE", "also write an HTML page that shows what was read");
  options.add_choice("--color", chosen.colour, {"auto", "always", "never"},
                     "bold and dim words instead of [brackets]");
  options.add_flag("--quiet", chosen.quiet, "the answer alone");
  options.add_exclusive({"TEXT", "--file"});
  options.add_exclusive({"--json", "--quiet"});
  options.add_example("skim read \"a film of rare warmth\"");
  options.add_example("skim read --file review.txt --threshold 0.3 --html review.html");
  options.add_example("skim read --question \"Who built the mill?\" mill.txt");
}

// Returns whether `text` is one word with a directory or an extension.
bool looks_like_file_name(const std::string& text) {
  const std::size_t last = text.find_last_of("/.");
  return last != std::string::npos && last + 1 < text.size() &&
         text.find_first_of(" \t\n") == std::string::npos;
}

// With a question, a single word that names a file means the file. One that only looks like a file
// name is treated as a missing file.
bool is_file_argument(const ReadOptions& chosen) {
  if (!chosen.question || chosen.words.size() != 1 || chosen.words[0] == "-") return false;
  std::error_code ignored;
  return std::filesystem::is_regular_file(chosen.words[0], ignored) ||
         looks_like_file_name(chosen.words[0]);
}

// Where the text comes from: a file, "-" for standard input, or without a path the arguments.
NamedFile text_file(const ReadOptions& chosen) {
  if (is_file_argument(chosen)) return {"TEXT", chosen.words[0]};
  if (!chosen.file.empty()) return {"--file", chosen.file};
  const bool from_input =
      chosen.words.empty() || (chosen.words.size() == 1 && chosen.words[0] == "-");
  return from_input ? NamedFile{"standard input", "-"} : NamedFile{};
}

Result<std::string> load_text(const ReadOptions& chosen) {
  const NamedFile source = text_file(chosen);
  if (source.path == "-" && is_terminal(STDIN_FILENO) && !chosen.quiet) {
    print_message("read", "type or paste the text and end it with Ctrl-D");
  }
  if (!source.path.empty()) {
    SKIM_ASSIGN_OR_RETURN(const auto input, InputFile::open(source.path.string()));
    return read_one_text(input);
  }
  std::string text;
  for (const std::string& word : chosen.words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// Splits each value at |: "a|b" and "c" are three choices.
std::vector<std::string> split_choices(const std::vector<std::string>& given) {
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

std::string render(const ReadingView& view, const ReadOptions& chosen) {
  if (chosen.json) {
    std::string json;
    append_reading(json, view, {.words = true, .passes = true});
    return json + "\n";
  }
  if (chosen.quiet)
    return (is_abstained(view) ? printable(chosen.abstain.label)
                               : short_answer(view.reading, view.spec)) +
           "\n";
  const Style style = wants_colour(chosen.colour) ? Style::ansi : Style::brackets;
  std::string text = marked_text(view, style);
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  return text + (text.empty() ? "" : "\n") + summary_line(view) + "\n";
}

Result<void> read_and_print(const ReadOptions& chosen) {
  ModelChoice choice = chosen.model;
  // Starts faster. With standard input, the program may wait while somebody changes the file.
  choice.map_file = text_file(chosen).path != "-";
  SKIM_ASSIGN_OR_RETURN(const auto model, load_model(choice));
  SKIM_ASSIGN_OR_RETURN(const auto policy, policy_for(model, chosen.policy));
  SKIM_RETURN_IF_ERROR(check(chosen.abstain, model));
  SKIM_ASSIGN_OR_RETURN(auto text, load_text(chosen));
  const Query query{std::move(text), chosen.question.value_or(""), split_choices(chosen.choices)};
  Session session(model);
  const double start = now_in_microseconds();
  SKIM_ASSIGN_OR_RETURN(const auto reading, session.read(query, policy));
  const double microseconds = now_in_microseconds() - start;
  SKIM_ASSIGN_OR_RETURN(const auto warm, measure_warm_time(session, query, policy));
  const ReadingView view{
      query.text,   reading,        model.spec(),  model.name(), policy,
      microseconds, query.question, query.choices, warm,         chosen.abstain.below};
  if (!chosen.html.empty()) {
    const std::string name = std::filesystem::path(model.name()).stem().string();
    const std::string page = html_page(view, to_text(describe_model(model, name)));
    SKIM_RETURN_IF_ERROR(write_atomically(chosen.html, page));
  }
  return write_all(STDOUT_FILENO, render(view, chosen));
}

}  // namespace

int read_verb(Arguments arguments) {
  ReadOptions chosen;
  Options options("read", "Reads one text; prints the answer and which words were read.",
                  "[TEXT] [options]");
  declare(options, chosen);
  if (const auto exit_code = options.parse(arguments)) return *exit_code;
  for (const auto& fault : {validate(chosen.policy), validate(chosen.abstain)}) {
    if (!fault.empty()) return usage_error("read", fault);
  }
  if (chosen.question && is_blank(*chosen.question))
    return usage_error("read", "--question is empty; omit it to classify the text");
  if (chosen.question) chosen.model.built_in = "questions";
  if (const auto fault = validate_outputs({{"--html", chosen.html}},
                                          {model_file(chosen.model), text_file(chosen)});
      !fault.empty())
    return usage_error("read", fault);
  const auto done = read_and_print(chosen);
  return done ? static_cast<int>(kSuccess) : failed("read", done.error());
}

}  // namespace skim::cli
