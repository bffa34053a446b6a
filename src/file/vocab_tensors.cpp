#include "file/vocab_tensors.h"

#include <cstdint>
#include <cstring>
#include <limits>

#include "base/result_macros.h"
#include "base/utf8.h"

namespace skim {
namespace {

struct VocabBytes {
  std::string_view text;
  std::span<const std::byte> ends;
};

Result<const TensorView*> find_list(const Container& container, std::string_view tensor,
                                    DataType type, const std::string& name) {
  const auto found = container.tensors.find(tensor);
  const std::string quoted = "tensor '" + std::string(tensor) + "'";
  if (found == container.tensors.end()) {
    return fail(Fault::format, name + ": " + quoted + " is missing");
  }
  if (found->second.type != type || found->second.shape.size() != 1) {
    return fail(Fault::mismatch, name + ": " + quoted + " must be one-dimensional of type " +
                                     std::string(to_string(type)));
  }
  return &found->second;
}

Result<VocabBytes> find_vocab(const Container& container, std::size_t count,
                              const std::string& name) {
  SKIM_ASSIGN_OR_RETURN(const auto text, find_list(container, kVocabText, DataType::u8, name));
  SKIM_ASSIGN_OR_RETURN(const auto ends, find_list(container, kVocabEnds, DataType::u32, name));
  if (ends->shape[0] != count) {
    return fail(Fault::mismatch, name + ": tensor 'vocab.ends' has " +
                                     std::to_string(ends->shape[0]) + " words, expected " +
                                     std::to_string(count));
  }
  const auto bytes = text->bytes;
  return VocabBytes{{reinterpret_cast<const char*>(bytes.data()), bytes.size()}, ends->bytes};
}

}  // namespace

Result<std::vector<std::string_view>> read_vocab(const Container& container, std::size_t count,
                                                 const std::string& name) {
  SKIM_ASSIGN_OR_RETURN(const auto parts, find_vocab(container, count, name));
  const std::string_view text = parts.text;
  if (!is_utf8(text)) return fail(Fault::format, name + ": 'vocab.text' is not valid UTF-8");
  std::vector<std::string_view> words;
  words.reserve(count);
  std::size_t begin = 0;
  for (std::size_t id = 0; id < count; ++id) {
    std::uint32_t end = 0;
    std::memcpy(&end, parts.ends.data() + id * sizeof end, sizeof end);
    const auto broken = [&](const char* what) {
      return fail(Fault::format, name + ": word " + std::to_string(id) + " " + what);
    };
    if (end < begin || end > text.size()) return broken("ends before it starts or after the text");
    if (end == begin && id != 0) return broken("is empty");
    if (end < text.size() && is_continuation(static_cast<unsigned char>(text[end])))
      return broken("splits a UTF-8 character");
    words.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  if (begin == text.size()) return words;
  return fail(Fault::format, name + ": 'vocab.text' has bytes after the last word");
}

Result<std::vector<TensorBytes>> store_vocab(std::span<const std::string> words) {
  TensorBytes ends{std::string(kVocabEnds), DataType::u32, {words.size()}, {}};
  TensorBytes text{std::string(kVocabText), DataType::u8, {}, {}};
  for (std::size_t id = 0; id < words.size(); ++id) {
    const std::string& word = words[id];
    const std::string which = "word " + std::to_string(id);
    if (word.empty() && id != 0) return fail(Fault::argument, which + " is empty");
    if (!is_utf8(word)) return fail(Fault::argument, which + " is not valid UTF-8");
    const auto bytes = std::as_bytes(std::span(word));
    text.bytes.insert(text.bytes.end(), bytes.begin(), bytes.end());
    if (text.bytes.size() > std::numeric_limits<std::uint32_t>::max()) {
      return fail(Fault::argument, "the vocabulary has more than 4 GiB of text");
    }
    const auto end = static_cast<std::uint32_t>(text.bytes.size());
    const auto raw = std::as_bytes(std::span(&end, 1));
    ends.bytes.insert(ends.bytes.end(), raw.begin(), raw.end());
  }
  text.shape = {text.bytes.size()};
  return std::vector{std::move(ends), std::move(text)};
}

}  // namespace skim
