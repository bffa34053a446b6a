// Streaming inference: reads words from standard input and prints the current answer after each
// line.
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
  const skim::Result<skim::Reading> current = session.answer();
  if (!current) return tl::make_unexpected(current.error());
  std::printf("%zu words: %s (%.2f)\n", current->trace.front().steps.size(),
              current->answer.text.c_str(), static_cast<double>(current->answer.score));
  return {};
}

skim::Result<void> run(const char* path) {
  const skim::Result<skim::Model> model = skim::Model::load(path);
  if (!model) return tl::make_unexpected(model.error());
  skim::Session session(*model);
  if (const auto started = session.begin(); !started) return started;
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
