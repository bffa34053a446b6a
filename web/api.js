// The client of the HTTP API. URLs are relative, so that the page also works under a path prefix of a proxy.
import {toModel} from './reading.js';

// An API error with a message for the user. Status 0: no response.
export class ApiError extends Error {
  constructor(status, message, retryAfter = 0) {
    super(message);
    this.status = status;
    this.retryAfter = retryAfter;
  }
  get isBusy() {
    return this.status === 503 || this.status === 429;
  }
  // Whether the same request may succeed later.
  get isTransient() {
    return this.isBusy || this.status === 0 || this.status === 502 || this.status === 504;
  }
  get needsToken() {
    return this.status === 401 || this.status === 403;
  }
}

const kTokenKey = 'skim-token';

// Stores the bearer token until the tab is closed.
export function storeToken(token) {
  sessionStorage.setItem(kTokenKey, token);
}

// The message of {"error": {"message": …}} or {"error": …}; empty for any other body, such as the page of a proxy.
export function parseErrorMessage(body) {
  try {
    const {error} = JSON.parse(body);
    const message = typeof error === 'string' ? error : error?.message;
    return typeof message === 'string' ? message : '';
  } catch {
    return '';
  }
}

const kStatusMessages = {
  0: 'The server cannot be reached. It may have been stopped, or the network is down.',
  401: 'This server requires a token.',
  403: 'The server does not accept this token.',
  404: 'The server does not know this address or model.',
  413: 'The text is too long for this server.',
  422: 'The server cannot read this text with this model.',
  429: 'The server accepts no more requests from this client at the moment.',
  503: 'The server is busy.',
};

export function makeApiError(status, body, retryAfter) {
  const statusMessage = kStatusMessages[status] ?? `The server responded with status ${status}.`;
  // The page has an input field for the token; the message about the HTTP header would not help.
  const message = status === 401 ? '' : parseErrorMessage(body).replace(/[.\s]*$/, '');
  const seconds = Number(retryAfter);
  return new ApiError(status, message ? `${statusMessage} Server message: ${message}.` : statusMessage,
                      Number.isFinite(seconds) ? seconds : 0);
}

async function request(url, options = {}) {
  const token = sessionStorage.getItem(kTokenKey);
  const headers = {...options.headers, ...(token ? {Authorization: `Bearer ${token}`} : {})};
  let status = 0;
  let body = '';
  let retryAfter = null;
  try {
    const response = await fetch(url, {...options, headers});
    status = response.status;
    retryAfter = response.headers.get('Retry-After');
    body = await response.text();
  } catch {
    throw makeApiError(0, '', null);
  }
  if (status !== 200) throw makeApiError(status, body, retryAfter);
  try {
    return JSON.parse(body);
  } catch {
    throw new ApiError(status, 'The response of the server is not JSON. Is this skim serve?');
  }
}

export async function fetchModels() {
  const response = await request('v1/models');
  if (!(response.models?.length > 0)) throw new ApiError(200, 'The server has no models.');
  return response.models.map((entry) => ({...toModel(entry, response.default), limits: response.limits}));
}

function post(url, body) {
  return request(url, {method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(body)});
}

export function read(query) {
  return post('v1/read', query);
}

export function readBatch(batch) {
  return post('v1/read/batch', batch);
}
