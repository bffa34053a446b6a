// This engine through its public headers: skim_worker MODEL [budget B | threshold T] [block N]
// Answers as described in worker.h, with the label's index: one text per call of a session, or N
// texts per call of a batch with one thread.
#include <skim/batch.h>
#include <skim/session.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <span>

#include "worker.h"

namespace {

class Classifier {
 public:
  Classifier(skim::Model model, skim::Policy policy)
      : session_(std::move(model)), policy_(policy) {}

  int operator()(const std::string& text) {
    query_.text = text;
    const skim::Result<void> done = session_.read(query_, policy_, reading_);
    if (!done) std::fprintf(stderr, "%s\n", done.error().message.c_str());
    return done ? reading_.answer.index : -1;
  }

 private:
  skim::Session session_;
  skim::Policy policy_;
  skim::Query query_;
  skim::Reading reading_;
};

class BlockClassifier {
 public:
  BlockClassifier(skim::Model model, skim::Policy policy, std::size_t block)
      : batch_(std::move(model), 1), policy_(policy), queries_(block), readings_(block) {}

  template <class Show>
  void operator()(const std::vector<std::string>& texts, Show&& show) {
    for (std::size_t begin = 0; begin < texts.size(); begin += queries_.size()) {
      const std::size_t count = std::min(queries_.size(), texts.size() - begin);
      for (std::size_t i = 0; i < count; ++i) queries_[i].text = texts[begin + i];
      batch_.read(std::span(queries_).first(count), policy_, std::span(readings_).first(count));
      for (std::size_t i = 0; i < count; ++i) show(label(readings_[i]));
    }
  }

 private:
  static int label(const skim::Result<skim::Reading>& reading) {
    if (!reading) std::fprintf(stderr, "%s\n", reading.error().message.c_str());
    return reading ? reading->answer.index : -1;
  }

  skim::Batch batch_;
  skim::Policy policy_;
  std::vector<skim::Query> queries_;
  std::vector<skim::Result<skim::Reading>> readings_;
};

struct Options {
  skim::Policy policy;
  int block = 0;  // 0: one text per call
};

skim::Result<Options> parse_options(const skim::Model& model, int count, char** words) {
  Options options;
  for (int i = 0; i < count; i += 2) {
    const std::string kind = words[i];
    const double value = std::atof(words[i + 1]);
    if (kind == "threshold") options.policy.threshold = static_cast<float>(value);
    if (kind == "block") options.block = static_cast<int>(value);
    if (kind != "budget") continue;
    const skim::Result<float> threshold = model.threshold_for(value);
    if (!threshold) return tl::make_unexpected(threshold.error());
    options.policy.threshold = *threshold;
  }
  return options;
}

int print_error(const skim::Error& error) {
  std::fprintf(stderr, "skim_worker: %s\n", error.message.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc % 2 != 0) return 2;
  const skim::Result<skim::Model> model = skim::Model::load(argv[1]);
  if (!model) return print_error(model.error());
  const skim::Result<Options> options = parse_options(*model, argc - 2, argv + 2);
  if (!options) return print_error(options.error());
  if (options->block < 1) return texts::serve(Classifier(*model, options->policy));
  return texts::serve_passes(
      BlockClassifier(*model, options->policy, static_cast<std::size_t>(options->block)));
}
