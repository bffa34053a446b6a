// fastText through its C++ library, in three parts:
//   fasttext_worker convert FORM                    label<TAB>text to its own format, in a pipe
//   fasttext_worker train DEV MODEL [OPTIONS...]    trains, prints the share of DEV that is right
//   and
//                                                   saves, unless MODEL is -
//   fasttext_worker serve FORM MODEL                answers as described in worker.h
// FORM is how a text is written before fastText cuts it at white space: `raw` as it is, `lower` in
// lower case, `apart` also with punctuation apart.
#include <fasttext/fasttext.h>

#include <cstdio>
#include <istream>
#include <stdexcept>
#include <streambuf>

#include "worker.h"

namespace {

constexpr std::string_view kLabel = "__label__";

enum class Form { raw, lower, apart };

Form parse_form(const std::string& name) {
  if (name == "raw") return Form::raw;
  if (name == "lower") return Form::lower;
  if (name == "apart") return Form::apart;
  throw std::runtime_error("'" + name + "' is no form: raw, lower or apart");
}

bool is_punctuation(char c) {
  return (c > ' ' && c < '0') || (c > '9' && c < 'A') || (c > 'Z' && c < 'a') ||
         (c > 'z' && c < '\x7f');
}

// `text` in the given form, with the newline that ends a text for fastText. `out` is overwritten.
void write(std::string_view text, Form form, std::string& out) {
  out.clear();
  if (form == Form::raw) {
    out = text;
  } else {
    for (const char c : text) {
      const bool apart = form == Form::apart && is_punctuation(c);
      if (apart) out += ' ';
      out += c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
      if (apart) out += ' ';
    }
  }
  out += '\n';
}

// A stream over memory that is not copied: fastText takes streams only, and a string stream would
// charge it for a copy.
class Bytes : public std::streambuf {
 public:
  void set_text(std::string& text) { setg(text.data(), text.data(), text.data() + text.size()); }
};

class Classifier {
 public:
  Classifier(const fasttext::FastText& model, Form form) : model_(model), form_(form) {}

  // The label without its prefix, good until the next call; empty when fastText has none to give.
  std::string_view operator()(std::string_view text) {
    write(text, form_, line_);
    bytes_.set_text(line_);
    stream_.clear();
    if (!model_.predictLine(stream_, found_, 1, 0) || found_.empty()) return {};
    return std::string_view(found_[0].second).substr(kLabel.size());
  }

 private:
  const fasttext::FastText& model_;
  Form form_;
  std::string line_;
  Bytes bytes_;
  std::istream stream_{&bytes_};
  std::vector<std::pair<fasttext::real, std::string>> found_;
};

int convert(Form form) {
  std::string text;
  for (std::string line; std::getline(std::cin, line);) {
    const std::size_t tab = line.find('\t');
    if (tab == std::string::npos) throw std::runtime_error("a line without a tab: " + line);
    write(std::string_view(line).substr(tab + 1), form, text);
    std::cout << kLabel << line.substr(0, tab) << ' ' << text;
  }
  return 0;
}

// DEV is converted already, as the training data is.
double accuracy(const fasttext::FastText& model, const std::string& dev) {
  Classifier classify(model, Form::raw);
  std::size_t right = 0;
  const std::vector<std::string> lines = texts::load_lines(dev);
  for (const std::string& line : lines) {
    const std::size_t space = line.find(' ');
    const std::string label = line.substr(kLabel.size(), space - kLabel.size());
    right += classify(std::string_view(line).substr(space + 1)) == label ? 1 : 0;
  }
  if (lines.empty()) throw std::runtime_error(dev + ": no texts");
  return static_cast<double>(right) / static_cast<double>(lines.size());
}

int train(const std::string& dev, const std::string& model_path,
          const std::vector<std::string>& options) {
  std::vector<std::string> words = {"fasttext", "supervised", "-output", "unused",
                                    "-verbose", "0",          "-thread", "1"};
  words.insert(words.end(), options.begin(), options.end());
  fasttext::Args arguments;
  arguments.parseArgs(words);
  fasttext::FastText model;
  model.train(arguments);
  std::cout << accuracy(model, dev) << std::endl;
  if (model_path != "-") model.saveModel(model_path);
  return 0;
}

int start(const std::vector<std::string>& words) {
  if (words.size() == 2 && words[0] == "convert") return convert(parse_form(words[1]));
  if (words.size() >= 3 && words[0] == "train") {
    return train(words[1], words[2], {words.begin() + 3, words.end()});
  }
  if (words.size() == 3 && words[0] == "serve") {
    fasttext::FastText model;
    model.loadModel(words[2]);
    return texts::serve(Classifier(model, parse_form(words[1])));
  }
  throw std::runtime_error("convert FORM, train DEV MODEL OPTIONS... or serve FORM MODEL");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return start({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fasttext_worker: %s\n", error.what());
    return 1;
  }
}
