// A trained model: immutable, cheap to copy, shared by any number of threads.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "skim/result.h"
#include "skim/spec.h"
#include "skim/tokenizer.h"

namespace skim {

struct LoadOptions {
  // Memory limit for folded embedding tables: per word, the product W·embedding(word) of the first
  // layer's input weights, computed on first use. Words beyond the limit are projected at each
  // occurrence, with the same result.
  std::size_t table_bytes = std::size_t{512} << 20;
  // Compares the checksum of the weights, too, and not only that of the header: takes about 0.1 s
  // per GB, and detects a file that another program is writing at the same time.
  bool verify_checksum = false;
  // Maps the file instead of copying it: loads faster, by about 0.2 s per GB. Only for a program
  // that ends soon: if another one overwrites or truncates the file in place, answers change or the
  // process is killed.
  bool map_file = false;
};

// What `skim train` and `skim tune` measure on a data set: the relation between threshold and work,
// the temperature, and the thresholds of labels.
struct Calibration {
  struct Point {
    double threshold = 0;
    double work = 0;  // mean counted cost as a fraction of the dense reader's; slightly above 1
                      // when every word is read
    bool operator==(const Point&) const = default;
  };
  std::string data = {};           // the data set
  std::vector<Point> points = {};  // increasing thresholds, decreasing work
  // The scores are softmax(logits / temperature) (Guo et al. 2017). 1 unless
  // ModelSpec::is_softmax_classifier().
  double temperature = 1;
  // Of multi-label models, one per label: a text has the label if its score is above. Empty: 0.5.
  std::vector<float> label_thresholds = {};
  bool operator==(const Calibration&) const = default;
};

struct ModelImpl;
struct ModelAccess;

class Model {
 public:
  // Loads a copy of the file into memory: later changes of the file do not affect the model (see
  // LoadOptions::map_file).
  static Result<Model> load(const std::filesystem::path& path, LoadOptions options = {});
  // Loads a model from the bytes of a model file. `name` replaces the path in error messages.
  static Result<Model> from_bytes(std::vector<std::byte> bytes, std::string name = "model",
                                  LoadOptions options = {});

  const ModelSpec& spec() const;
  const Calibration& calibration() const;
  // Of multi-label models, one per label: those of the calibration, or 0.5. Others have none.
  std::span<const float> label_thresholds() const;
  // The path or name that it was loaded from.
  const std::string& name() const;
  // 16 hex digits, equal for equal files: the checksum of the header, which contains that of the
  // weights. The dense baseline has the checksum of its model.
  const std::string& checksum() const;

  // Whether sessions read several texts together in less time than one after the other: classifiers
  // with one layer in one direction whose cells are LSTMs or GRUs.
  bool reads_together() const;

  // Whether sessions read word by word (Session::push), which early answers (Policy::confident)
  // need as well: unidirectional classifiers.
  bool streams() const;

  // The threshold at which the mean work is `budget` (0 to 1) of the dense reader's. Fails when the
  // model has no calibration or the budget is out of its range.
  Result<float> threshold_for(double budget) const;

  // The dense baseline: same embeddings and big cells, no decisions. Every reported speed-up is
  // relative to it.
  Result<Model> dense() const;

  // The tokenizer that the model reads with.
  Tokenizer tokenizer() const { return Tokenizer(spec().tokenizer); }

 private:
  friend struct ModelAccess;
  explicit Model(std::shared_ptr<const ModelImpl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const ModelImpl> impl_;
};

}  // namespace skim
