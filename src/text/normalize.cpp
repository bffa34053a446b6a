#include "text/normalize.h"

#include "base/utf8.h"
#include "text/case_folder.h"

namespace skim {
namespace {

std::string fold(std::string_view word) {
  std::string folded;
  CaseFolder folder(word);
  for (auto piece = folder.next(); !piece.empty(); piece = folder.next()) folded += piece;
  return folded;
}

}  // namespace

std::string normalize(std::string_view word, TokenizerKind tokenizer) {
  if (tokenizer == TokenizerKind::unicode) return fold(word);
  std::string normalized;
  normalized.reserve(word.size());
  for (std::size_t at = 0; at < word.size();) {
    const CodePoint next = decode_utf8(word, at);
    char bytes[4];
    normalized.append(bytes, encode_utf8(normalize(next.code), bytes));
    at += next.length;
  }
  return normalized;
}

}  // namespace skim
