// Asks the server. Addresses are relative, so that the page also works below a path of another site.

// What went wrong, in words for the reader of the page. Status 0: no answer at all.
export class ServerFault extends Error {
  constructor(status, message, retryAfter = 0) {
    super(message);
    this.status = status;
    this.retryAfter = retryAfter;
  }
  // The server has too much to do and says so.
  get busy() {
    return this.status === 503 || this.status === 429;
  }
  // Whether the same request may well succeed a little later.
  get passing() {
    return this.busy || this.status === 0 || this.status === 502 || this.status === 504;
  }
  get wantsToken() {
    return this.status === 401 || this.status === 403;
  }
}

const kTokenName = 'skim-token';

// A server may ask for a token; it is kept until the tab is closed.
export function rememberToken(token) {
  sessionStorage.setItem(kTokenName, token);
}

// {"error": {"message": …}} or {"error": …}; empty when the answer is something else, such as a proxy's page.
export function messageIn(body) {
  try {
    const {error} = JSON.parse(body);
    const message = typeof error === 'string' ? error : error?.message;
    return typeof message === 'string' ? message : '';
  } catch {
    return '';
  }
}

const kMeanings = {
  0: 'The server cannot be reached. It may have been stopped, or the network is down.',
  401: 'This server asks for a token.',
  403: 'The server does not take this token.',
  404: 'The server does not know this address or model.',
  413: 'The text is too long for this server.',
  422: 'The server cannot read this text with this model.',
  429: 'The server takes no more requests from here for now.',
  503: 'The server is busy.',
};

export function faultFrom(status, body, retryAfter) {
  const meaning = kMeanings[status] ?? `The server answered with status ${status}.`;
  // To those who are asked for a token in a field, the name of a header says nothing.
  const message = status === 401 ? '' : messageIn(body).replace(/[.\s]*$/, '');
  const seconds = Number(retryAfter);
  return new ServerFault(status, message ? `${meaning} It says: ${message}.` : meaning,
                         Number.isFinite(seconds) ? seconds : 0);
}

async function ask(address, options = {}) {
  const token = sessionStorage.getItem(kTokenName);
  const headers = {...options.headers, ...(token ? {Authorization: `Bearer ${token}`} : {})};
  let status = 0;
  let body = '';
  let retryAfter = null;
  try {
    const response = await fetch(address, {...options, headers});
    status = response.status;
    retryAfter = response.headers.get('Retry-After');
    body = await response.text();
  } catch {
    throw faultFrom(0, '', null);
  }
  if (status !== 200) throw faultFrom(status, body, retryAfter);
  try {
    return JSON.parse(body);
  } catch {
    throw new ServerFault(status, 'The server answered with something that is not JSON. Is this skim serve?');
  }
}

// What the page needs to know of a model, wherever the server says it: the shape of its readers stands in its spec.
export function modelFrom(entry, chosen) {
  const reader = entry.spec?.reader ?? {};
  return {
    ...entry,
    reader: reader.kind,
    hidden: entry.hidden ?? reader.hidden,
    small: entry.small ?? reader.small ?? [],
    default: entry.default ?? entry.name === chosen,
  };
}

export async function models() {
  const answer = await ask('v1/models');
  if (!(answer.models?.length > 0)) throw new ServerFault(200, 'The server has no model to read with.');
  return answer.models.map((entry) => modelFrom(entry, answer.default));
}

export function read(query) {
  return ask('v1/read', {method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(query)});
}
