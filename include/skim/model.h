// A trained model: immutable, cheap to copy, shared by any number of threads.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "skim/result.h"
#include "skim/spec.h"

namespace skim {

struct LoadOptions {
  // Memory for folded word tables (the product of the cell's matrix with a word's vector, kept per
  // word and filled on first use). Words beyond it are projected each time they come up, with the
  // same result.
  std::size_t table_bytes = std::size_t{512} << 20;
};

// Which share of the plain reader's work a threshold leads to, measured on a data set by `skim
// tune`.
struct Calibration {
  struct Point {
    double threshold = 0;
    double work = 0;  // mean counted cost over the plain reader's, 0 to 1 (a little over 1 when
                      // everything is read)
    bool operator==(const Point&) const = default;
  };
  std::string data;           // what it was measured on
  std::vector<Point> points;  // thresholds rising, work falling
  bool operator==(const Calibration&) const = default;
};

class Net;             // src/nets: the weights, ready to run
struct ModelContents;  // src/runtime

class Model {
 public:
  static Result<Model> load(const std::filesystem::path& path, LoadOptions options = {});
  // Takes a whole model file as bytes. `name` stands for the file in error messages.
  static Result<Model> from_bytes(std::vector<std::byte> bytes, std::string name = "model",
                                  LoadOptions options = {});

  const ModelSpec& spec() const;
  const Calibration& calibration() const;
  // Where it was loaded from.
  const std::string& name() const;

  // The threshold that spends `budget` (0 to 1) of the plain reader's work on average; an error
  // when the model was never calibrated or the budget is out of reach.
  Result<float> threshold_for(double budget) const;

  // The plain twin: same words, same big cells, no decisions. The baseline of every measured
  // speed-up.
  Result<Model> plain() const;

  // For the library's own parts.
  const ModelContents& contents() const { return *contents_; }

 private:
  explicit Model(std::shared_ptr<const ModelContents> contents) : contents_(std::move(contents)) {}
  std::shared_ptr<const ModelContents> contents_;
};

}  // namespace skim
