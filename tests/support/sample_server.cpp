#include "tests/support/sample_server.h"

#include <cstdio>
#include <cstdlib>

#include "file/model_file.h"
#include "tests/support/random_draft.h"

namespace skim {
namespace {

server::ServedModel make_model(const std::string& name, bool bidirectional) {
  ModelSpec spec;
  spec.vocab_size = 20;
  spec.embedding_size = 8;
  spec.reader.input_size = 8;
  spec.reader.hidden_size = 12;
  spec.reader.skim_sizes = {3};
  spec.bidirectional = bidirectional;
  auto bytes = to_bytes(random_draft(spec, 3));
  auto model = bytes.and_then([&](std::vector<std::byte> whole) {
    return Model::from_bytes(std::move(whole), "/secret/" + name + ".skim");
  });
  if (!model) {
    std::fprintf(stderr, "sample_options: %s\n", model.error().message.c_str());
    std::abort();
  }
  return {name, std::move(*model)};
}

}  // namespace

server::ServerOptions sample_options() {
  return {{make_model("first", false), make_model("second", true)}, {}, {}, {}};
}

}  // namespace skim
