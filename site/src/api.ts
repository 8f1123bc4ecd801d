/**
 * The one module that asks the server: the worker's HTTP API, relative to where the site is mounted, or a bucket instead. A
 * place is the address of a bucket or of a bundle; empty for the server.
 */

import { ApiError, asksForToken, noServer, responseError } from "./apierror.ts";
import { base } from "./base.ts";
import { readStream } from "./files/source.ts";
import { trackWork } from "./settled.ts";
import { askForToken, authorization, token } from "./state/page/token.ts";
import type { Span } from "./time/range.ts";

/** Fetched only where there is no server. */
const bucket = () => import("./bucket/bucket.ts");

export interface Service {
  name: string;
  types: ServiceType[];
}

export interface ServicesAnswer {
  services: Service[];
  /** Names of those that have profiles in the range of equal length before, and none in this one. */
  ended: string[];
}

export interface ServiceType {
  id: string;
  /** Sums as decimal text: they may exceed 2^53. */
  total: string;
  profiles: number;
  points: number[];
  /** How many profiles start in each step. */
  counts: number[];
  /** How much of each step profiles cover, in milliseconds; 0 also where that is unknown. */
  covered: number[];
  /** How long a profile is on average, in milliseconds; 0 where that is unknown. */
  duration: number;
  previous: string;
  previousProfiles: number;
  /** Where the points begin, and how long each is, milliseconds. */
  start: number;
  step: number;
}

export interface Timeline {
  start: number;
  step: number;
  points: number[];
  /** How many profiles start in each step. */
  counts: number[];
  /** How much of each step profiles cover, in milliseconds; 0 also where that is unknown. */
  covered: number[];
  /** What all profiles measured, also after the last step. */
  total: number;
  profiles: number;
}

export interface TimelineAnswer extends Timeline {
  /** How long a profile is on average, in milliseconds; 0 where that is unknown. */
  duration: number;
}

export interface ProfileAnswer {
  bytes: Uint8Array<ArrayBuffer>;
  profiles: number;
  bytesRead: number;
  /** How many requests a bucket was asked for it; 0 of a server. */
  requests: number;
  millis: number;
  /** A sum was larger than 64 bits can hold, and is cut there. */
  saturated: boolean;
  /** A window counts as a whole, since its profiles have expired. */
  rounded: boolean;
  /** What else is to be known of the answer. */
  notes: string[];
}

export async function fetchServices(
  place: string,
  span: Span,
  points: number,
  signal: AbortSignal,
): Promise<ServicesAnswer> {
  type Services = ServicesAnswer & { start: number; step: number };
  const { start, step, services, ended } = place
    ? await (await bucket()).askBucketJson<Services>(place, { ask: "services", ...whole(span), points }, signal)
    : await json<Services>("services", { ...spanParams(span), points: String(points) }, signal);
  for (const { types } of services) for (const type of types) Object.assign(type, { start, step });
  return { services, ended };
}

export async function fetchLabels(
  place: string,
  query: string,
  span: Span,
  signal: AbortSignal,
): Promise<Record<string, string[]>> {
  type Labels = { labels: Record<string, string[]> };
  const { labels } = place
    ? await (await bucket()).askBucketJson<Labels>(place, { ask: "labels", query, ...whole(span) }, signal)
    : await json<Labels>("labels", { query, ...spanParams(span) }, signal);
  return labels;
}

export async function fetchTimeline(
  place: string,
  query: string,
  span: Span,
  points: number,
  signal: AbortSignal,
): Promise<TimelineAnswer> {
  if (place)
    return (await bucket()).askBucketJson<TimelineAnswer>(
      place,
      { ask: "timeline", query, ...whole(span), points },
      signal,
    );
  return json<TimelineAnswer>("timeline", { query, ...spanParams(span), points: String(points) }, signal);
}

/** Spans or traces whose samples alone are asked for, by their ids. */
export interface Links {
  of: "span" | "trace";
  ids: string[];
}

/**
 * The merged profile of a query, or null when there is none. `progress` hears how many bytes have come. Links are for a server
 * alone.
 */
export async function fetchProfile(
  place: string,
  query: string,
  span: Span,
  signal: AbortSignal,
  progress: (bytes: number) => void,
  links: Links | null,
): Promise<ProfileAnswer | null> {
  if (place) {
    const began = performance.now();
    const [{ askBucket }, { bucketNotes }] = await Promise.all([bucket(), import("./bucket/notes.ts")]);
    const answer = await askBucket(place, { ask: "profile", query, ...whole(span) }, signal, progress);
    const notes = bucketNotes(place, answer, span.until, Date.now());
    return answer.profiles === 0 ? null : { ...answer, notes, millis: performance.now() - began };
  }
  const linked = links ? links.ids.map((id) => [links.of, id]) : [];
  const asked = [...Object.entries({ query, ...spanParams(span) }), ...linked];
  const response = await askServer("profile", asked, signal);
  if (response.status === 204) return null;
  if (response.headers.get("content-type")?.startsWith("text/html")) throw noServer();
  const number = (name: string) => Number(response.headers.get(`x-pilotlight-${name}`) ?? 0);
  return {
    bytes: await orNetworkError(signal, () => readStream(bodyOf(response), Number.POSITIVE_INFINITY, signal, progress)),
    profiles: number("profiles"),
    bytesRead: number("bytes"),
    requests: 0,
    millis: number("millis"),
    saturated: response.headers.get("x-pilotlight-saturated") === "true",
    rounded: response.headers.get("x-pilotlight-rounded") === "true",
    notes: [],
  };
}

/** A file of a repository as text; null if it is not there. */
export async function fetchSource(
  { repository, ref, path }: { repository: string; ref: string; path: string },
  signal: AbortSignal,
): Promise<string | null> {
  try {
    const response = await askServer("source", { repository, ref, path }, signal);
    return await orNetworkError(signal, () => response.text());
  } catch (failure) {
    if (failure instanceof ApiError && failure.kind === "refused" && failure.status === 404) return null;
    throw failure;
  }
}

/** What a selector selects of the server, of any type unless it names one, as the zip of a bundle; null without a profile. */
export async function fetchBundle(query: string, span: Span, when: string): Promise<Uint8Array<ArrayBuffer> | null> {
  const response = await askServer("export", { query, ...spanParams(span), when }, null);
  if (response.status === 204) return null;
  if (response.headers.get("content-type")?.startsWith("text/html")) throw noServer();
  return orNetworkError(null, async () => new Uint8Array(await response.arrayBuffer()));
}

/** The page that holds a profile by itself, with nothing in it yet. */
export async function fetchTemplate(): Promise<string> {
  const response = await orNetworkError(null, () => fetch(new URL("viewer.html", base)));
  if (!response.ok) throw responseError(response, "");
  return orNetworkError(null, () => response.text());
}

/** In whole milliseconds. */
function whole({ from, until }: Span): Span {
  return { from: Math.round(from), until: Math.round(until) };
}

function spanParams(span: Span): Record<string, string> {
  const { from, until } = whole(span);
  return { from: String(from), until: String(until) };
}

/** The answer of the API to a question that has one in JSON. */
export async function json<T>(
  name: string,
  params: Record<string, string>,
  signal: AbortSignal | null,
  init: RequestInit = {},
): Promise<T> {
  const response = await askServer(name, params, signal, init);
  // A static host may answer any path with its index page.
  if (!response.headers.get("content-type")?.startsWith("application/json")) throw noServer();
  return (await orNetworkError(signal, () => response.json())) as T;
}

/** What fails on the way is a network error, unless the caller stopped it. A connection may break halfway through a body. */
async function orNetworkError<T>(signal: AbortSignal | null, body: () => Promise<T>): Promise<T> {
  try {
    return await trackWork(body());
  } catch (failure) {
    if (signal?.aborted) throw failure;
    throw new ApiError("network", failure instanceof Error ? failure.message : String(failure));
  }
}

/** Calls the API by itself; what is no success is an `ApiError`. */
export async function askServer(
  name: string,
  params: Record<string, string> | string[][],
  signal: AbortSignal | null,
  init: RequestInit = {},
): Promise<Response> {
  return send(`api/v1/${name}?${new URLSearchParams(params)}`, signal, init);
}

/** Calls a service of Pyroscope's, as Connect in JSON: `call` is its name and the method's. The headers say more of the answer. */
export async function askConnect<T>(
  call: string,
  message: object,
  signal: AbortSignal | null,
): Promise<{ message: T; headers: Headers }> {
  const response = await send(call, signal, posted(message));
  return { message: (await orNetworkError(signal, () => response.json())) as T, headers: response.headers };
}

/** A request that brings a message as JSON. */
export function posted(message: object): RequestInit {
  return { method: "POST", body: new Blob([JSON.stringify(message)], { type: "application/json" }) };
}

/** How often a question is asked again of a server that is busy, and the longest it may say to wait, in seconds. */
const ASKED_AGAIN = 3;
const LONGEST_WAIT = 5;

async function send(path: string, signal: AbortSignal | null, init: RequestInit): Promise<Response> {
  const url = new URL(path, base);
  for (let again = 0; ; again++) {
    const sent = token.peek();
    const response = await orNetworkError(signal, () => fetch(url, { ...init, signal, headers: authorization(sent) }));
    if (response.ok) return response;
    if (asksForToken(response)) askForToken(sent);
    const wait = Number(response.headers.get("retry-after"));
    // Only questions: what a request that was sent twice would do is not known here.
    const isBusy = response.status === 503 && init.method === undefined && wait > 0 && wait <= LONGEST_WAIT;
    if (!isBusy || again === ASKED_AGAIN)
      throw responseError(response, await orNetworkError(signal, () => response.text()), sent);
    // Many that were turned away together don't come back together.
    await response.body?.cancel();
    await trackWork(pause(1000 * wait * (1 + Math.random()), signal));
    signal?.throwIfAborted();
  }
}

/** Ends when it is stopped, too. */
function pause(millis: number, signal: AbortSignal | null): Promise<void> {
  return new Promise((go) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      go();
    };
    const timer = setTimeout(end, millis);
    signal?.addEventListener("abort", end);
  });
}

export function bodyOf({ body }: Response): ReadableStream<Uint8Array<ArrayBuffer>> {
  if (!body) throw new Error("the response has no body");
  return body;
}
