#include "tests/support/sample_site.h"

#include <cstdio>
#include <cstdlib>

#include "file/model_file.h"
#include "tests/support/random_draft.h"

namespace skim {
namespace {

server::Served served(const std::string& name, bool bidirectional) {
  ModelSpec spec;
  spec.vocabulary = 20;
  spec.word_width = 8;
  spec.reader.input = 8;
  spec.reader.hidden = 12;
  spec.reader.small = {3};
  spec.bidirectional = bidirectional;
  auto bytes = to_bytes(random_draft(spec, 3));
  auto model = bytes.and_then([&](std::vector<std::byte> whole) {
    return Model::from_bytes(std::move(whole), "/secret/" + name + ".skim");
  });
  if (!model) {
    std::fprintf(stderr, "sample_site: %s\n", model.error().message.c_str());
    std::abort();
  }
  return {name, std::move(*model)};
}

}  // namespace

server::Site sample_site() {
  return {{served("first", false), served("second", true)}, {}, {}, {}};
}

}  // namespace skim
