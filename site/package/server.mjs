/** What the commands that talk to a server have in common. */

export const DEFAULT_URL = "http://localhost:4040";

/** A response other than success; or, with status 0, none. */
export class ServerFailure extends Error {
  constructor(status, message, retryAfter) {
    super(message);
    this.status = status;
    /** When to try again, in seconds, if the server says so. */
    this.retryAfter = retryAfter;
  }
}

/** The URL of a server, to which paths are relative; undefined for what is none. */
export function serverUrl(text) {
  if (!/^https?:\/\//.test(text ?? "") || !URL.canParse(text)) return undefined;
  return new URL(text.endsWith("/") ? text : `${text}/`);
}

/** The headers that show a token, if there is one. */
export function authorization(token) {
  return token ? { authorization: `Bearer ${token}` } : {};
}

/** The response to a request, when it is a success. Throws a `ServerFailure` else. */
export async function send(target, init) {
  const response = await fetch(target, init).catch((failure) => {
    throw new ServerFailure(0, unreachable(failure));
  });
  if (response.ok) return response;
  const text = await response.text();
  const message = (reasonIn(text) ?? text.trim().slice(0, 200)) || response.statusText;
  const after = Number(response.headers.get("retry-after") ?? Number.NaN);
  throw new ServerFailure(response.status, message, after >= 0 ? after : undefined);
}

/** What a failure means, and what to do. `scope` is that of the token which the request needs. */
export function explain({ status, message, retryAfter }, url, scope) {
  if (status === 401 || status === 403)
    return `${url} needs a token with the ${scope} scope: set PILOTLIGHT_TOKEN (${status}: ${message})`;
  const later = retryAfter === undefined ? "" : `. Try again in ${retryAfter} s`;
  if (status !== 0) return `${url} returned ${status}: ${message}${later}`;
  return `${url} does not answer (${message}). Start a server there, or give another one:
  pilotlight serve                   starts one on ${DEFAULT_URL}
  --url https://profiles.example.com`;
}

/** Why a request got no response. */
export function unreachable(failure) {
  return failure.cause?.message || failure.cause?.code || failure.message;
}

/** A time of a command line as servers read it: digits and `now-1h` as they are, dates as milliseconds. Undefined for what is none. */
export function timeOf(text) {
  if (/^\d+$/.test(text) || /^now(-\w+)?$/.test(text)) return text;
  const millis = Date.parse(text);
  return Number.isNaN(millis) ? undefined : String(millis);
}

/** Why a server refuses, from its JSON; undefined for what is none. */
export function reasonIn(text) {
  try {
    return JSON.parse(text).message;
  } catch {
    return undefined;
  }
}
