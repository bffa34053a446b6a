// Where the initial embeddings of a training come from: a file of vectors, a model, or nowhere.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "skim/result.h"
#include "skim/spec.h"
#include "text/embeddings.h"
#include "train/corpus.h"
#include "train/options.h"

namespace skim::train {

// Values of Job::embeddings that are not files. `automatic`: the embeddings of the built-in model
// for English text, else none.
inline constexpr std::string_view kAutomaticEmbeddings = "auto";
inline constexpr std::string_view kNoEmbeddings = "none";
inline constexpr std::string_view kDefaultEmbeddings = "default";

// Whether the value names a file.
bool names_embedding_file(std::string_view embeddings);

// Text is English when the built-in model has embeddings of this share of its tokens. Measured: 95
// to 100 % of six English data sets, 51 % of German tweets, 3 % of Chinese
// reviews.
inline constexpr double kMinEnglishCoverage = 0.8;

struct EmbeddingSource {
  std::string name;            // path of the file
  std::uint64_t checksum = 0;  // of the bytes of a text file, or of a model's data
  PretrainedEmbeddings embeddings;
};

// Loads a text file of embeddings or the embeddings of a model, dequantized. The first bytes decide
// which it is.
Result<EmbeddingSource> load_embedding_source(const std::filesystem::path& path);

// The embeddings that `job.embeddings` chooses for texts with these words; nothing for random ones.
// `message` says why the default was not taken.
Result<std::optional<EmbeddingSource>> choose_embeddings(
    const Job& job, const ModelSpec& spec, const WordCounts& counts,
    const std::function<void(const std::string&)>& message);

}  // namespace skim::train
