// Conversion between UTF-8 byte offsets of the server and UTF-16 indices of strings.

// Replaces lone surrogates, which UTF-8 cannot encode, by U+FFFD.
export function toWellFormed(text) {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}

function utf8Length(codePoint) {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x10000 ? 3 : 4;
}

// The string index of each byte offset, in one pass: offsets must not decrease. An offset inside a character maps to its
// start, one beyond the text to the end of the text.
export function toStringIndices(text, offsets) {
  let index = 0;
  let bytes = 0;
  return offsets.map((offset) => {
    while (bytes < offset && index < text.length) {
      const codePoint = text.codePointAt(index);
      if (bytes + utf8Length(codePoint) > offset) break;
      bytes += utf8Length(codePoint);
      index += codePoint > 0xffff ? 2 : 1;
    }
    return index;
  });
}

// Converts words of the server ({begin, end} in bytes) to spans [begin, end] in string indices.
export function toSpans(text, words) {
  const indices = toStringIndices(text, words.flatMap((word) => [word.begin, word.end]));
  return words.map((_, i) => [indices[2 * i], indices[2 * i + 1]]);
}
