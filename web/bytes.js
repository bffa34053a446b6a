// The server counts bytes of UTF-8, strings count units of UTF-16.

// The text as it can be sent: half of a surrogate pair has no UTF-8 and becomes U+FFFD.
export function wellFormed(text) {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}

function bytesOf(codePoint) {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x10000 ? 3 : 4;
}

// The string index of each byte offset, all in one walk: offsets must not fall. An offset inside a character counts as
// its beginning, one behind the text as its end.
export function indicesOf(text, offsets) {
  let index = 0;
  let bytes = 0;
  return offsets.map((offset) => {
    while (bytes < offset && index < text.length) {
      const codePoint = text.codePointAt(index);
      if (bytes + bytesOf(codePoint) > offset) break;
      bytes += bytesOf(codePoint);
      index += codePoint > 0xffff ? 2 : 1;
    }
    return index;
  });
}

// Words as the server gives them ({begin, end} in bytes) as [begin, end] in string indices.
export function extentsOf(text, words) {
  const indices = indicesOf(text, words.flatMap((word) => [word.begin, word.end]));
  return words.map((_, i) => [indices[2 * i], indices[2 * i + 1]]);
}
