#include "tests/support/sample_server.h"

#include <cstdio>
#include <cstdlib>

#include "file/model_file.h"
#include "tests/support/random_draft.h"

namespace skim {
namespace {

ModelDraft make_draft(bool bidirectional, std::uint32_t seed) {
  ModelSpec spec;
  spec.vocab_size = 20;
  spec.embedding_size = 8;
  spec.reader.input_size = 8;
  spec.reader.hidden_size = 12;
  spec.reader.skim_sizes = {3};
  spec.bidirectional = bidirectional;
  return random_draft(spec, seed);
}

// Open gates make the hidden units large enough for their sum, times the head, to overflow.
ModelDraft make_overflowing_draft() {
  ModelDraft draft = make_draft(false, 3);
  for (ModelDraft::Tensor& tensor : draft.tensors) {
    if (tensor.name.ends_with(".bias")) tensor.values.assign(tensor.values.size(), 10);
    if (tensor.name == "head.weight") tensor.values.assign(tensor.values.size(), 3e38F);
  }
  return draft;
}

server::ServedModel make_model(const std::string& name, const ModelDraft& draft) {
  auto bytes = to_bytes(draft);
  auto model = bytes.and_then([&](std::vector<std::byte> whole) {
    return Model::from_bytes(std::move(whole), "/secret/" + name + ".skim");
  });
  if (!model) {
    std::fprintf(stderr, "sample_models: %s\n", model.error().message.c_str());
    std::abort();
  }
  return {name, std::move(*model)};
}

}  // namespace

std::vector<server::ServedModel> sample_models(std::uint32_t seed) {
  return {make_model("first", make_draft(false, seed)),
          make_model("second", make_draft(true, seed))};
}

std::vector<server::ServedModel> overflowing_models() {
  return {make_model("first", make_overflowing_draft())};
}

std::vector<Model> sample_replacement(std::uint32_t seed) {
  std::vector<Model> models;
  for (server::ServedModel& each : sample_models(seed)) models.push_back(std::move(each.model));
  return models;
}

}  // namespace skim
