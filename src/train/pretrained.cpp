#include "train/pretrained.h"

#include <array>
#include <cstdio>
#include <fstream>
#include <span>
#include <unordered_set>

#include "base/file.h"
#include "base/result_macros.h"
#include "file/model_file.h"

namespace skim::train {
namespace {

// A model begins with the length of its JSON header, below 2^56, and the header.
bool is_model_file(const std::filesystem::path& path) {
  std::array<char, 9> first{};
  std::ifstream file(path, std::ios::binary);
  return file.read(first.data(), first.size()) && first[7] == '\0' && first[8] == '{';
}

Result<EmbeddingSource> load_from_model(const std::filesystem::path& path) {
  SKIM_ASSIGN_OR_RETURN(const ModelFile file, open_model_file(path));
  EmbeddingSource source{path.string(), file.data_checksum, {}};
  const auto size = static_cast<std::size_t>(file.spec.embedding_size);
  source.embeddings.embedding_size = size;
  source.embeddings.words.assign(file.vocabulary.begin() + 1, file.vocabulary.end());
  source.embeddings.values = to_floats(file, "embedding.weight");
  // The first row is that of unknown words.
  source.embeddings.values.erase(
      source.embeddings.values.begin(),
      source.embeddings.values.begin() + static_cast<std::ptrdiff_t>(size));
  return source;
}

Result<EmbeddingSource> load_from_text(const std::filesystem::path& path) {
  SKIM_ASSIGN_OR_RETURN(const MappedFile file, MappedFile::open(path));
  file.populate();
  const std::span<const std::byte> bytes = file.bytes();
  EmbeddingSource source{path.string(), compute_checksum(bytes), {}};
  SKIM_ASSIGN_OR_RETURN(
      source.embeddings,
      parse_embeddings({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, source.name));
  return source;
}

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", 100 * share);
  return text;
}

// Why the embeddings of the built-in model do not suit these texts; empty when they do.
std::string find_mismatch(const ModelSpec& spec, const WordCounts& counts,
                          const PretrainedEmbeddings& built_in) {
  if (built_in.embedding_size != static_cast<std::size_t>(spec.embedding_size))
    return "the built-in model has an embedding size of " +
           std::to_string(built_in.embedding_size) + ", not " + std::to_string(spec.embedding_size);
  const std::unordered_set<std::string_view> known(built_in.words.begin(), built_in.words.end());
  const double share = measure_coverage(counts, [&](const std::string& word) {
                         return known.contains(word);
                       }).token_share();
  if (share >= kMinEnglishCoverage) return {};
  return "the training texts do not seem to be English: the built-in model has only " +
         percent(share) +
         " of their words; use --embeddings FILE if you have vectors of their "
         "language";
}

}  // namespace

bool names_embedding_file(std::string_view embeddings) {
  return !embeddings.empty() && embeddings != kAutomaticEmbeddings && embeddings != kNoEmbeddings &&
         embeddings != kDefaultEmbeddings;
}

Result<EmbeddingSource> load_embedding_source(const std::filesystem::path& path) {
  return is_model_file(path) ? load_from_model(path) : load_from_text(path);
}

Result<std::optional<EmbeddingSource>> choose_embeddings(
    const Job& job, const ModelSpec& spec, const WordCounts& counts,
    const std::function<void(const std::string&)>& message) {
  if (job.embeddings == kNoEmbeddings) return std::nullopt;
  if (names_embedding_file(job.embeddings)) return load_embedding_source(job.embeddings);
  if (job.embeddings == kDefaultEmbeddings) return load_embedding_source(job.built_in_model);
  // By default. The embeddings of --start-from win.
  if (!job.start_from.empty()) return std::nullopt;
  if (spec.tokenizer != TokenizerKind::english) {
    message("embeddings start random: those of the built-in model are for the tokenizer english");
    return std::nullopt;
  }
  if (job.built_in_model.empty()) {
    message("there is no built-in model beside this program, so embeddings start random");
    return std::nullopt;
  }
  SKIM_ASSIGN_OR_RETURN(EmbeddingSource built_in, load_embedding_source(job.built_in_model));
  const std::string mismatch = find_mismatch(spec, counts, built_in.embeddings);
  if (mismatch.empty()) return built_in;
  message("embeddings start random: " + mismatch);
  return std::nullopt;
}

}  // namespace skim::train
