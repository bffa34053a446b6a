#include "text/embeddings.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <unordered_set>

#include "base/file.h"
#include "base/result_macros.h"

namespace skim {
namespace {

bool is_separator(char c) { return c == ' ' || c == '\t'; }

std::string_view trim_end(std::string_view line) {
  while (!line.empty() && (is_separator(line.back()) || line.back() == '\r')) {
    line.remove_suffix(1);
  }
  return line;
}

// Removes the next field from the front of `line`; empty at its end.
std::string_view take_field(std::string_view& line) {
  const char* const begin = std::find_if_not(line.begin(), line.end(), is_separator);
  const char* const end = std::find_if(begin, line.end(), is_separator);
  line = std::string_view(end, line.end());
  return std::string_view(begin, end);
}

std::vector<std::string_view> split_fields(std::string_view line) {
  std::vector<std::string_view> fields;
  for (auto field = take_field(line); !field.empty(); field = take_field(line)) {
    fields.push_back(field);
  }
  return fields;
}

std::optional<std::size_t> parse_size(std::string_view field) {
  std::size_t value = 0;
  const auto [at, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error != std::errc{} || at != field.data() + field.size()) return std::nullopt;
  return value;
}

enum class Number { finite, invalid, not_finite };

// Removes the number at the front of `field`. Underflow gives zero, where from_chars would fail.
Number take_number(std::string_view& field, float& value) {
  const char* const end = field.data() + field.size();
  auto [at, error] = std::from_chars(field.data(), end, value);
  if (error == std::errc::result_out_of_range) {
    double wide = 0;
    error = std::from_chars(field.data(), end, wide).ec;
    const bool tiny = error == std::errc{} && std::abs(wide) < 1;
    if (!tiny) return Number::not_finite;
    value = static_cast<float>(wide);
  }
  if (error != std::errc{}) return Number::invalid;
  field.remove_prefix(static_cast<std::size_t>(at - field.data()));
  return std::isfinite(value) ? Number::finite : Number::not_finite;
}

Number classify_number(std::string_view field) {
  float value = 0;
  const Number found = take_number(field, value);
  return found == Number::finite && !field.empty() ? Number::invalid : found;
}

std::string quote(std::string_view text) {
  constexpr std::size_t kShown = 40;
  return "'" + std::string(text.substr(0, kShown)) + (text.size() > kShown ? "...'" : "'");
}

class Parser {
 public:
  Parser(std::string_view bytes, const std::string& name, const EmbeddingOptions& options)
      : left_(bytes),
        name_(name),
        options_(options),
        wanted_(options.wanted.begin(), options.wanted.end()) {}

  Result<PretrainedEmbeddings> parse() {
    if (left_.empty()) return fail(Fault::format, name_ + ": contains no word embeddings");
    SKIM_RETURN_IF_ERROR(find_embedding_size());
    while (!left_.empty() && !is_done()) {
      next_line();
      SKIM_RETURN_IF_ERROR(add_line());
    }
    if (announced_ && left_.empty() && *announced_ != lines_) {
      return fail(Fault::format, name_ + ": the header announces " + std::to_string(*announced_) +
                                     " words, " + std::to_string(lines_) + " lines follow");
    }
    return std::move(found_);
  }

 private:
  bool is_done() const {
    if (found_.words.size() >= options_.max_words) return true;
    return !options_.wanted.empty() && wanted_.empty();
  }

  void next_line() {
    const std::size_t end = left_.find('\n');
    truncated_ = end == left_.npos;
    line_ = trim_end(left_.substr(0, end));
    left_.remove_prefix(truncated_ ? left_.size() : end + 1);
    ++number_;
  }

  tl::unexpected<Error> wrong(const std::string& reason) const {
    return fail(Fault::format, name_ + ":" + std::to_string(number_) + ": " + reason);
  }

  // Consumes the header, if there is one; otherwise looks at the first line.
  Result<void> find_embedding_size() {
    const std::string_view all = left_;
    next_line();
    const std::vector<std::string_view> fields = split_fields(line_);
    if (fields.size() == 2) announced_ = parse_size(fields[0]);
    const std::optional<std::size_t> width =
        announced_ ? parse_size(fields[1]) : std::optional<std::size_t>{};
    if (width) {
      found_.embedding_size = *width;
      return *width > 0 ? Result<void>{} : wrong("the header announces embeddings of size 0");
    }
    announced_.reset();
    const auto word_end = std::find_if(fields.rbegin(), fields.rend(), [](std::string_view field) {
      return classify_number(field) != Number::finite;
    });
    found_.embedding_size = static_cast<std::size_t>(word_end - fields.rbegin());
    // A number may be a word, but one field of a line is always the word.
    if (word_end == fields.rend() && !fields.empty()) --found_.embedding_size;
    if (found_.embedding_size == 0) return wrong("expected a word and its values");
    left_ = all;
    number_ = 0;
    return {};
  }

  Result<void> add_line() {
    ++lines_;
    if (line_.empty()) return wrong("empty line" + hint());
    if (is_separator(line_.front())) return wrong("the word is empty");
    std::string_view rest = line_;
    std::string_view word = take_field(rest);
    if (!options_.wanted.empty() && !wanted_.contains(word)) return {};
    const std::size_t size = found_.values.size();
    reserve();
    if (!add_values(rest)) {
      found_.values.resize(size);
      SKIM_ASSIGN_OR_RETURN(word, split_word());
      add_values(line_.substr(word.size()));
    }
    if (is_new(word)) {
      found_.words.emplace_back(word);
    } else {
      found_.values.resize(size);
    }
    return {};
  }

  bool is_new(std::string_view word) {
    return options_.wanted.empty() ? seen_.insert(word).second : wanted_.erase(word) == 1;
  }

  // Estimates the number of lines from the first one.
  void reserve() {
    if (found_.values.capacity() != 0) return;
    std::size_t lines = std::min(left_.size() / (line_.size() + 1) + 1, options_.max_words);
    if (!options_.wanted.empty()) lines = std::min(lines, wanted_.size());
    const std::size_t width = std::min(found_.embedding_size, line_.size());
    found_.words.reserve(lines);
    found_.values.reserve(lines * width);
  }

  // Appends the values in `rest`; false unless they are exactly embedding_size finite numbers.
  bool add_values(std::string_view rest) {
    for (std::size_t i = 0; i < found_.embedding_size; ++i) {
      if (rest.empty() || !is_separator(rest.front())) return false;
      while (!rest.empty() && is_separator(rest.front())) rest.remove_prefix(1);
      float value = 0;
      if (take_number(rest, value) != Number::finite) return false;
      found_.values.push_back(value);
    }
    return rest.empty();
  }

  // The word of a line that is not one field and its values, or the error of the line.
  Result<std::string_view> split_word() const {
    const std::vector<std::string_view> fields = split_fields(line_);
    const std::size_t values = fields.size() - 1;
    const std::string count = quote(fields[0]) + " has " + std::to_string(values) +
                              " values, expected " + std::to_string(found_.embedding_size);
    if (values < found_.embedding_size) return wrong(count + hint());
    const std::size_t word_fields = fields.size() - found_.embedding_size;
    for (std::size_t i = 1; i < word_fields; ++i) {
      if (classify_number(fields[i]) != Number::invalid) return wrong(count);
    }
    for (std::size_t i = word_fields; i < fields.size(); ++i) {
      const Number found = classify_number(fields[i]);
      if (found == Number::invalid) return wrong(quote(fields[i]) + " is not a number");
      if (found == Number::not_finite) return wrong(quote(fields[i]) + " is not a finite number");
    }
    const std::string_view last = fields[word_fields - 1];
    return std::string_view(line_.data(), last.data() + last.size());
  }

  std::string hint() const { return truncated_ ? "; the file seems to be truncated here" : ""; }

  std::string_view left_;
  const std::string& name_;
  const EmbeddingOptions& options_;
  std::unordered_set<std::string_view> wanted_;  // not found yet
  std::unordered_set<std::string_view> seen_;
  PretrainedEmbeddings found_;
  std::optional<std::size_t> announced_;
  std::string_view line_;
  std::size_t number_ = 0;  // of `line_`, from 1
  std::size_t lines_ = 0;   // without the header
  bool truncated_ = false;  // `line_` has no newline
};

}  // namespace

Result<PretrainedEmbeddings> parse_embeddings(std::string_view bytes, const std::string& name,
                                              const EmbeddingOptions& options) {
  return Parser(bytes, name, options).parse();
}

Result<PretrainedEmbeddings> load_embeddings(const std::filesystem::path& path,
                                             const EmbeddingOptions& options) {
  SKIM_ASSIGN_OR_RETURN(const MappedFile file, MappedFile::open(path));
  file.populate();
  const std::span<const std::byte> bytes = file.bytes();
  return parse_embeddings({reinterpret_cast<const char*>(bytes.data()), bytes.size()},
                          path.string(), options);
}

}  // namespace skim
