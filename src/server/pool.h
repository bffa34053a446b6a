// The models that are served, and the memory with which a thread reads.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "skim/model.h"
#include "skim/query.h"
#include "skim/session.h"

namespace skim::server {

// Requests know a model by its name only; where it came from stays with the server.
struct Served {
  std::string name;
  Model model;
};

// One thread's sessions, one a model, made when first needed. A model is shared by all desks.
class Desk {
 public:
  // Borrows the models.
  explicit Desk(const std::vector<Served>& models) : models_(models), sessions_(models.size()) {}

  Session& session(std::size_t model);
  // Lent to whoever reads: keeps its memory from text to text.
  Reading& reading() { return reading_; }
  // After an answer: memory for a giant is not kept for the many small texts that follow.
  void tidy_up(std::size_t text_bytes);

 private:
  const std::vector<Served>& models_;
  std::vector<std::optional<Session>> sessions_;
  Reading reading_;
};

// The place of the model called so; the first one when `name` is empty.
std::optional<std::size_t> find_model(const std::vector<Served>& models, std::string_view name);

}  // namespace skim::server
