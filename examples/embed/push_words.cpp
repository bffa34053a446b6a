// Reads words as they arrive on standard input and says after each line what the model thinks so
// far.
//   push_words MODEL < TEXT
#include <skim/model.h>
#include <skim/session.h>

#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>

namespace {

skim::Result<void> read_line(skim::Session& session, const std::string& line) {
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    const skim::Result<skim::Step> step = session.push(word);
    if (!step) return tl::make_unexpected(step.error());
  }
  const skim::Result<skim::Reading> so_far = session.answer();
  if (!so_far) return tl::make_unexpected(so_far.error());
  std::printf("%zu words: %s (%.2f)\n", so_far->trace.front().steps.size(),
              so_far->answer.text.c_str(), static_cast<double>(so_far->answer.score));
  return {};
}

skim::Result<void> run(const char* path) {
  const skim::Result<skim::Model> model = skim::Model::load(path);
  if (!model) return tl::make_unexpected(model.error());
  skim::Session session(*model);
  if (const auto begun = session.begin(); !begun) return begun;
  for (std::string line; std::getline(std::cin, line);) {
    if (const auto read = read_line(session, line); !read) return read;
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: push_words MODEL < TEXT\n");
    return 2;
  }
  const skim::Result<void> done = run(argv[1]);
  if (!done) std::fprintf(stderr, "%s\n", done.error().message.c_str());
  return done ? 0 : 1;
}
