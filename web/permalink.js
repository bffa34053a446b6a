// Encodes text and settings as the fragment of a URL, which browsers do not send to servers. docs/page.md describes the
// fields.

// Mail and chat programs truncate longer URLs.
export const kMaxLinkLength = 8000;
// Limits decompression: a link from an unknown source must not exhaust memory.
const kMaxTextBytes = 4 << 20;

const kFields = ['model', 'threshold', 'budget', 'against', 'pass', 'question', 'choices'];

function toBase64Url(bytes) {
  let characters = '';
  for (let i = 0; i < bytes.length; i += 0x8000) characters += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(characters).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function fromBase64Url(encoded) {
  const bytes = atob(encoded.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(bytes, (character) => character.charCodeAt(0));
}

async function readStream(stream, maxBytes) {
  const chunks = [];
  let length = 0;
  for (const reader = stream.getReader(); ;) {
    const {done, value} = await reader.read();
    if (done) return new Uint8Array(await new Blob(chunks).arrayBuffer());
    length += value.length;
    if (length > maxBytes) {
      // Cancelling rejects the writing side of the stream, which is intended.
      reader.cancel().catch(() => {});
      throw new Error('too long');
    }
    chunks.push(value);
  }
}

export async function compressText(text) {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('deflate'));
  return toBase64Url(await readStream(stream, Infinity));
}

export async function decompressText(encoded) {
  const stream = new Blob([fromBase64Url(encoded)]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new TextDecoder('utf-8', {fatal: true}).decode(await readStream(stream, kMaxTextBytes));
}

function canCompress() {
  return typeof CompressionStream === 'function' && typeof DecompressionStream === 'function';
}

// Returns the fragment without '#', and whether the text had to be omitted.
export async function encodeLink(fields) {
  const link = new URLSearchParams();
  for (const field of kFields) {
    if (fields[field] !== undefined && fields[field] !== '') link.set(field, fields[field]);
  }
  const prefixLength = link.toString().length;
  const raw = new URLSearchParams({text: fields.text}).toString();
  // Compression cannot help very short texts, and texts that are far too long would be omitted anyway.
  const tryCompression = raw.length > 200 && raw.length < 20 * kMaxLinkLength && canCompress();
  const compressed = tryCompression ? await compressText(fields.text) : null;
  const body = compressed !== null && compressed.length + 7 < raw.length ? `packed=${compressed}` : raw;
  if (prefixLength + body.length + 1 > kMaxLinkLength) {
    link.set('left-out', '1');
    return {fragment: link.toString(), textOmitted: true};
  }
  return {fragment: prefixLength > 0 ? `${link}&${body}` : body, textOmitted: false};
}

// The fields of a fragment. Sets `corrupt` if the text cannot be decoded, and `textOmitted` if the link has none.
export async function decodeLink(fragment) {
  const link = new URLSearchParams(fragment.replace(/^#/, ''));
  const fields = {};
  for (const field of [...kFields, 'text']) {
    if (link.has(field)) fields[field] = link.get(field);
  }
  if (link.has('left-out')) fields.textOmitted = true;
  if (link.has('packed')) {
    try {
      fields.text = await decompressText(link.get('packed'));
    } catch {
      fields.corrupt = true;
    }
  }
  return fields;
}
