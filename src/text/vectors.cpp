#include "text/vectors.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <unordered_set>

#include "base/file.h"

namespace skim {
namespace {

bool is_separator(char c) { return c == ' ' || c == '\t'; }

std::string_view without_end(std::string_view line) {
  while (!line.empty() && (is_separator(line.back()) || line.back() == '\r')) {
    line.remove_suffix(1);
  }
  return line;
}

// Takes the next field off the front of `line`; an empty one at its end.
std::string_view take_field(std::string_view& line) {
  const char* const begin = std::find_if_not(line.begin(), line.end(), is_separator);
  const char* const end = std::find_if(begin, line.end(), is_separator);
  line = std::string_view(end, line.end());
  return std::string_view(begin, end);
}

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  for (auto field = take_field(line); !field.empty(); field = take_field(line)) {
    fields.push_back(field);
  }
  return fields;
}

std::optional<std::size_t> whole_number(std::string_view field) {
  std::size_t value = 0;
  const auto [at, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error != std::errc{} || at != field.data() + field.size()) return std::nullopt;
  return value;
}

enum class Number { fine, none, not_finite };

// Takes the number `field` begins with. What is too small for a float becomes zero, where
// from_chars would refuse it.
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
  if (error != std::errc{}) return Number::none;
  field.remove_prefix(static_cast<std::size_t>(at - field.data()));
  return std::isfinite(value) ? Number::fine : Number::not_finite;
}

Number number_in(std::string_view field) {
  float value = 0;
  const Number found = take_number(field, value);
  return found == Number::fine && !field.empty() ? Number::none : found;
}

std::string quoted(std::string_view text) {
  constexpr std::size_t kShown = 40;
  return "'" + std::string(text.substr(0, kShown)) + (text.size() > kShown ? "...'" : "'");
}

class Parser {
 public:
  Parser(std::string_view bytes, const std::string& name, const VectorOptions& options)
      : left_(bytes),
        name_(name),
        options_(options),
        wanted_(options.wanted.begin(), options.wanted.end()) {}

  Result<WordVectors> parse() {
    if (left_.empty()) return fail(Fault::format, name_ + ": holds no word vectors");
    if (Result<void> width = find_width(); !width) return tl::make_unexpected(width.error());
    while (!left_.empty() && !is_enough()) {
      next_line();
      if (Result<void> added = add_line(); !added) return tl::make_unexpected(added.error());
    }
    if (announced_ && left_.empty() && *announced_ != lines_) {
      return fail(Fault::format, name_ + ": the header announces " + std::to_string(*announced_) +
                                     " words, " + std::to_string(lines_) + " lines follow");
    }
    return std::move(found_);
  }

 private:
  bool is_enough() const {
    if (found_.words.size() >= options_.most) return true;
    return !options_.wanted.empty() && wanted_.empty();
  }

  void next_line() {
    const std::size_t end = left_.find('\n');
    cut_off_ = end == left_.npos;
    line_ = without_end(left_.substr(0, end));
    left_.remove_prefix(cut_off_ ? left_.size() : end + 1);
    ++number_;
  }

  tl::unexpected<Error> wrong(const std::string& reason) const {
    return fail(Fault::format, name_ + ":" + std::to_string(number_) + ": " + reason);
  }

  // From the header, which is consumed, or from the first line, which is not.
  Result<void> find_width() {
    const std::string_view all = left_;
    next_line();
    const std::vector<std::string_view> fields = fields_of(line_);
    if (fields.size() == 2) announced_ = whole_number(fields[0]);
    const std::optional<std::size_t> width =
        announced_ ? whole_number(fields[1]) : std::optional<std::size_t>{};
    if (width) {
      found_.width = *width;
      return *width > 0 ? Result<void>{} : wrong("the header announces vectors without values");
    }
    announced_.reset();
    const auto word_end = std::find_if(fields.rbegin(), fields.rend(), [](std::string_view field) {
      return number_in(field) != Number::fine;
    });
    found_.width = static_cast<std::size_t>(word_end - fields.rbegin());
    // A number may be a word too, but one field of a line always is the word.
    if (word_end == fields.rend() && !fields.empty()) --found_.width;
    if (found_.width == 0) return wrong("a word and its values are missing");
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
      Result<std::string_view> long_word = split_slowly();
      if (!long_word) return tl::make_unexpected(long_word.error());
      word = *long_word;
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

  // Guesses from the first line how many will follow.
  void reserve() {
    if (found_.values.capacity() != 0) return;
    std::size_t lines = std::min(left_.size() / (line_.size() + 1) + 1, options_.most);
    if (!options_.wanted.empty()) lines = std::min(lines, wanted_.size());
    const std::size_t width = std::min(found_.width, line_.size());
    found_.words.reserve(lines);
    found_.values.reserve(lines * width);
  }

  // Appends the values that `rest` consists of; false when they are not exactly as many good ones
  // as asked for.
  bool add_values(std::string_view rest) {
    for (std::size_t i = 0; i < found_.width; ++i) {
      if (rest.empty() || !is_separator(rest.front())) return false;
      while (!rest.empty() && is_separator(rest.front())) rest.remove_prefix(1);
      float value = 0;
      if (take_number(rest, value) != Number::fine) return false;
      found_.values.push_back(value);
    }
    return rest.empty();
  }

  // The word of a line that is not simply one field and its values, or what is wrong with it.
  Result<std::string_view> split_slowly() const {
    const std::vector<std::string_view> fields = fields_of(line_);
    const std::size_t values = fields.size() - 1;
    const std::string count = quoted(fields[0]) + " has " + std::to_string(values) +
                              " values instead of " + std::to_string(found_.width);
    if (values < found_.width) return wrong(count + hint());
    const std::size_t word_fields = fields.size() - found_.width;
    for (std::size_t i = 1; i < word_fields; ++i) {
      if (number_in(fields[i]) != Number::none) return wrong(count);
    }
    for (std::size_t i = word_fields; i < fields.size(); ++i) {
      const Number found = number_in(fields[i]);
      if (found == Number::none) return wrong(quoted(fields[i]) + " is not a number");
      if (found == Number::not_finite) return wrong(quoted(fields[i]) + " is not a finite number");
    }
    const std::string_view last = fields[word_fields - 1];
    return std::string_view(line_.data(), last.data() + last.size());
  }

  std::string hint() const { return cut_off_ ? "; the file seems to be cut off here" : ""; }

  std::string_view left_;
  const std::string& name_;
  const VectorOptions& options_;
  std::unordered_set<std::string_view> wanted_;  // and not found yet
  std::unordered_set<std::string_view> seen_;
  WordVectors found_;
  std::optional<std::size_t> announced_;
  std::string_view line_;
  std::size_t number_ = 0;  // of `line_`, from 1
  std::size_t lines_ = 0;   // that should hold vectors
  bool cut_off_ = false;    // `line_` has no line end
};

}  // namespace

Result<WordVectors> parse_vectors(std::string_view bytes, const std::string& name,
                                  const VectorOptions& options) {
  return Parser(bytes, name, options).parse();
}

Result<WordVectors> load_vectors(const std::filesystem::path& path, const VectorOptions& options) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return tl::make_unexpected(file.error());
  const std::span<const std::byte> bytes = file->bytes();
  return parse_vectors({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path.string(),
                       options);
}

}  // namespace skim
