// This engine through its public headers: skim_worker MODEL [budget B | threshold T]
// Answers as described in worker.h, with the label's index.
#include <skim/session.h>

#include <cstdio>
#include <cstdlib>

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

skim::Result<skim::Policy> parse_policy(const skim::Model& model, const std::string& kind,
                                        double value) {
  skim::Policy policy;
  if (kind == "threshold") policy.threshold = static_cast<float>(value);
  if (kind == "budget") {
    const skim::Result<float> threshold = model.threshold_for(value);
    if (!threshold) return tl::make_unexpected(threshold.error());
    policy.threshold = *threshold;
  }
  return policy;
}

int print_error(const skim::Error& error) {
  std::fprintf(stderr, "skim_worker: %s\n", error.message.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 && argc != 4) return 2;
  const skim::Result<skim::Model> model = skim::Model::load(argv[1]);
  if (!model) return print_error(model.error());
  const skim::Result<skim::Policy> policy =
      argc == 4 ? parse_policy(*model, argv[2], std::atof(argv[3])) : skim::Policy{};
  if (!policy) return print_error(policy.error());
  return texts::serve(Classifier(*model, *policy));
}
