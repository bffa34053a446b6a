// Tokenization: splits a text into words.
#pragma once

#include <string_view>
#include <vector>

#include "skim/spec.h"
#include "skim/token_span.h"

namespace skim {

// Splits `text` into words and overwrites `words`; allocates nothing when its capacity suffices.
// Takes linear time for arbitrary bytes. The spans increase, are never empty, do not overlap, do
// not split UTF-8 characters, and cover every byte that is not white space. Invalid UTF-8 counts as
// U+FFFD.
//
// `whitespace` splits at Unicode white space only.
//
// `english` splits as for GloVe embeddings:
//   - every punctuation mark, symbol and emoji is a word; "...", "--", "``" and "''" stay whole
//   - do n't, ca n't; it 's, I 'm, we 'd, you 're, they 've, she 'll; also with U+2019
//   - other apostrophes between letters do not split: O'Brien
//   - . , and : do not split numbers, but 10 / 10
//   - hyphens split: low - budget
//   - U.S., e.g., Mr. and initials (J. Smith) keep their full stop
//   - Han and kana: one word per character; other scripts: one word per run of letters
// Hyphens and slashes split because that maximizes the fraction of the words of the IMDb training
// and dev reviews found in GloVe 6B (100d, a subset of 128,635 words): 99.39 % as it is, 99.13 %
// without splitting at hyphens, 99.36 % without splitting numbers at slashes.
//
// `unicode` splits texts of any language, close to the word boundaries of UAX #29:
//   - a run of letters, numbers and marks of scripts with spaces is a word; Hangul is such a script
//   - Han, kana, Thai, Lao, Khmer, Myanmar and other scripts without spaces: one word per grapheme
//     cluster
//   - apostrophes and underscores between letters or numbers do not split: geht's, l'homme,
//   New_York
//   - . , and : do not split numbers, but hyphens and slashes split everything
//   - z.B., U.S. and other single letters with full stops stay whole
//   - every punctuation mark, symbol and emoji is a word, with its skin tone, variation selectors
//   and
//     joiners; flags, too; "..." and "--" stay whole
//   - @name and addresses (https://..., www....) are one word; the mark of a #hashtag is a word of
//   its
//     own, so that the tag is the same word as without it
//   - invisible characters, such as zero width spaces and direction marks, join the word before
//   them
void tokenize(std::string_view text, TokenizerKind kind, std::vector<TokenSpan>& words);

}  // namespace skim
