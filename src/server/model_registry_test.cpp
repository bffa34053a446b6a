#include "server/model_registry.h"

#include <gtest/gtest.h>

#include "tests/support/sample_server.h"

namespace skim::server {
namespace {

TEST(ModelRegistry, FindsModelsByName) {
  const ModelRegistry registry(sample_models(), 1);
  EXPECT_EQ(registry.names(), (std::vector<std::string>{"first", "second"}));
  EXPECT_EQ(registry.find("second"), 1U);
  EXPECT_EQ(registry.find("third"), std::nullopt);
  EXPECT_EQ(registry.find(""), std::nullopt);
}

TEST(ModelRegistry, ARequestKeepsItsModelsUntilItEnds) {
  ModelRegistry registry(sample_models(), 1);
  std::shared_ptr<ModelSet> request = registry.current();
  const std::string checksum = request->model(0).checksum();
  registry.replace(sample_replacement(4));
  EXPECT_NE(registry.current()->model(0).checksum(), checksum);
  EXPECT_EQ(request->model(0).checksum(), checksum);
  EXPECT_TRUE(request->session(0, 0).read({"abc", {}, {}}));
  const std::weak_ptr<ModelSet> old = request;
  request.reset();
  EXPECT_TRUE(old.expired());
}

TEST(ModelRegistry, WorkersHaveTheirOwnSessions) {
  const ModelRegistry registry(sample_models(), 2);
  const std::shared_ptr<ModelSet> models = registry.current();
  const Session* session = &models->session(0, 1);
  EXPECT_NE(&models->session(1, 1), session);
  EXPECT_EQ(&models->session(0, 1), session);
}

}  // namespace
}  // namespace skim::server
