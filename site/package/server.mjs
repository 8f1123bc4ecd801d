/** What the commands that talk to a server have in common. */

/** The URL of a server, to which paths are relative; undefined for what is none. */
export function serverUrl(text) {
  if (!/^https?:\/\//.test(text ?? "") || !URL.canParse(text)) return undefined;
  return new URL(text.endsWith("/") ? text : `${text}/`);
}

/** The headers that show a token, if there is one. */
export function authorization(token) {
  return token ? { authorization: `Bearer ${token}` } : {};
}

/** Why a request got no response. */
export function unreachable(failure) {
  return failure.cause?.message || failure.cause?.code || failure.message;
}

/** Why a server refuses, from its JSON; undefined for what is none. */
export function reasonIn(text) {
  try {
    return JSON.parse(text).message;
  } catch {
    return undefined;
  }
}
