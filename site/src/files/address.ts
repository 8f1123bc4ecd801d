/** Profiles at an address, as a link to /file names them. */
import { FileError, MAX_FILE_BYTES, type ReadProgress, readStream, type Source } from "./source.ts";

const DOWNLOAD = "Download the file, and drop it here.";

/** An address, and what its profile is called; empty for the last part of the address. */
export interface Address {
  url: string;
  title: string;
}

export function addressSource({ url, title }: Address): Source {
  return {
    name: title || nameOf(url),
    size: 0,
    stage: "fetching",
    address: url,
    read: (signal, progress) => download(url, signal, progress),
  };
}

function nameOf(address: string): string {
  const [path] = address.split(/[?#]/);
  const last = path.replace(/\/+$/, "").split("/").at(-1) || address;
  try {
    return decodeURIComponent(last);
  } catch {
    // A percent sign that escapes nothing.
    return last;
  }
}

async function download(
  address: string,
  signal: AbortSignal,
  progress: ReadProgress,
): Promise<Uint8Array<ArrayBuffer>> {
  const url = URL.canParse(address, document.baseURI) ? new URL(address, document.baseURI) : null;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new FileError("This is not a web address.", ["Check the address: it must start with https:// or a slash."]);
  const response = await ask(url, signal);
  if (!response.ok) throw refused(url, response);
  // What the browser inflates on the way has another size than the header says.
  const size = response.headers.has("content-encoding") ? 0 : Number(response.headers.get("content-length"));
  const body = response.body ?? new Blob().stream();
  try {
    return await readStream(body, MAX_FILE_BYTES, signal, (bytes) => progress(bytes, bytes <= size ? size : 0));
  } catch (failure) {
    if (signal.aborted || failure instanceof FileError) throw failure;
    throw new FileError(`The connection to ${url.host} was lost.`, ["Try again.", DOWNLOAD]);
  }
}

/** The browser tells a page no more than that a request has failed; this finds out why. */
async function ask(url: URL, signal: AbortSignal): Promise<Response> {
  let forbidden = false;
  const note = ({ effectiveDirective }: SecurityPolicyViolationEvent) => {
    forbidden ||= effectiveDirective === "connect-src";
  };
  document.addEventListener("securitypolicyviolation", note);
  try {
    return await fetch(url, { signal });
  } catch (failure) {
    if (signal.aborted) throw failure;
    // The report of a violation may come after the failure.
    await new Promise((resolve) => setTimeout(resolve, 50));
    if (forbidden) throw outside(url);
    if (url.origin !== location.origin && (await answers(url, signal))) throw withoutCors(url);
    throw new FileError(`${url.host} did not answer.`, ["Check the address, and that you are online.", DOWNLOAD]);
  } finally {
    document.removeEventListener("securitypolicyviolation", note);
  }
}

/** Whether a server answers at all, though not to this page. */
function answers(url: URL, signal: AbortSignal): Promise<boolean> {
  return fetch(url, { signal, mode: "no-cors", method: "HEAD" }).then(
    () => true,
    () => false,
  );
}

function outside(url: URL): FileError {
  return new FileError(
    `This page can only fetch from ${location.host}; its content security policy blocks ${url.host}.`,
    [DOWNLOAD, `To allow this host, build the site with PROFILE_ORIGINS=${url.origin}.`],
  );
}

function withoutCors(url: URL): FileError {
  return new FileError(`${url.host} doesn't allow pages on ${location.host} to read this file (CORS).`, [
    DOWNLOAD,
    `The owner of ${url.host} can allow access with the Access-Control-Allow-Origin header.`,
  ]);
}

function refused(url: URL, { status, statusText }: Response): FileError {
  const says = `${url.host} returned status ${status}${statusText && ` (${statusText})`}.`;
  if (status === 401 || status === 403)
    return new FileError(says, [`${url.host} requires signing in, which this page can't do.`, DOWNLOAD]);
  if (status === 404 || status === 410) return new FileError(says, ["Check the address: nothing was found there."]);
  return new FileError(says, ["Try again in a moment.", DOWNLOAD]);
}
