// Text and setting as the fragment of an address, which browsers keep to themselves: nothing of it reaches a server's
// log. docs/page.md describes the fields.

// Longer addresses do not survive mail and chat programs.
export const kLongestLink = 8000;
// What a packed text may unpack to; a link from a stranger must not fill the memory.
const kLongestText = 4 << 20;

const kFields = ['model', 'threshold', 'budget', 'against', 'pass', 'question', 'choices'];

function toBase64Url(bytes) {
  let letters = '';
  for (let i = 0; i < bytes.length; i += 0x8000) letters += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(letters).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function fromBase64Url(letters) {
  const bytes = atob(letters.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(bytes, (letter) => letter.charCodeAt(0));
}

async function collected(stream, limit) {
  const parts = [];
  let length = 0;
  for (const reader = stream.getReader(); ;) {
    const {done, value} = await reader.read();
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    length += value.length;
    if (length > limit) {
      // The other end of the stream may complain that it was cut off, which is what is wanted.
      reader.cancel().catch(() => {});
      throw new Error('too long');
    }
    parts.push(value);
  }
}

export async function packed(text) {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('deflate'));
  return toBase64Url(await collected(stream, Infinity));
}

export async function unpacked(letters) {
  const stream = new Blob([fromBase64Url(letters)]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new TextDecoder('utf-8', {fatal: true}).decode(await collected(stream, kLongestText));
}

function canPack() {
  return typeof CompressionStream === 'function' && typeof DecompressionStream === 'function';
}

// The fragment without its '#', and whether the text had to be left out.
export async function linkFrom(setting) {
  const link = new URLSearchParams();
  for (const field of kFields) {
    if (setting[field] !== undefined && setting[field] !== '') link.set(field, setting[field]);
  }
  const before = link.toString().length;
  const plain = new URLSearchParams({text: setting.text}).toString();
  // Worked out only where it could be the shorter one; packing a text that is far too long would be in vain.
  const small = plain.length > 200 && plain.length < 20 * kLongestLink && canPack() ? await packed(setting.text) : null;
  const body = small !== null && small.length + 7 < plain.length ? `packed=${small}` : plain;
  if (before + body.length + 1 > kLongestLink) {
    link.set('left-out', '1');
    return {fragment: link.toString(), leftOut: true};
  }
  return {fragment: before > 0 ? `${link}&${body}` : body, leftOut: false};
}

// The setting of a fragment; fields that it lacks are missing. `damaged` says that a text was there and is lost,
// `leftOut` that there never was one.
export async function settingFrom(fragment) {
  const link = new URLSearchParams(fragment.replace(/^#/, ''));
  const setting = {};
  for (const field of [...kFields, 'text']) {
    if (link.has(field)) setting[field] = link.get(field);
  }
  if (link.has('left-out')) setting.leftOut = true;
  if (link.has('packed')) {
    try {
      setting.text = await unpacked(link.get('packed'));
    } catch {
      setting.damaged = true;
    }
  }
  return setting;
}
