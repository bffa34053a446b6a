// Loads a model, reads one text, prints the label and the words that were read.
//   read_text MODEL TEXT
#include <skim/model.h>
#include <skim/session.h>

#include <cstdio>
#include <string>

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: read_text MODEL TEXT\n");
    return 2;
  }
  const skim::Result<skim::Model> model = skim::Model::load(argv[1]);
  if (!model) {
    std::fprintf(stderr, "%s\n", model.error().message.c_str());
    return 1;
  }

  skim::Query query;
  query.text = argv[2];
  skim::Session session(*model);
  const skim::Result<skim::Reading> reading = session.read(query);
  if (!reading) {
    std::fprintf(stderr, "%s\n", reading.error().message.c_str());
    return 1;
  }

  std::printf("%s (%.2f)\n", reading->answer.text.c_str(),
              static_cast<double>(reading->answer.score));
  const skim::Pass& pass = reading->trace.front();
  for (std::size_t i = 0; i < reading->words.size(); ++i) {
    if (pass.steps[i].width < pass.hidden_size) continue;  // skimmed
    const skim::TokenSpan& word = reading->words[i];
    std::printf("%s ", query.text.substr(word.begin, word.end - word.begin).c_str());
  }
  std::printf("\n%.0f %% skimmed, %.1fx fewer operations\n", 100 * skim_rate(reading->trace),
              reading->costs.executed.reduction());
  return 0;
}
