/** What both pages that query the server need of one query: its merged profile and its timeline. */
import { fetchProfile, fetchTimeline, type Links, type ProfileAnswer, type Timeline } from "../../api.ts";
import { core } from "../../core/index.ts";
import { formatBytes, plural } from "../../format/value.ts";
import type { Span } from "../../time/range.ts";
import { pointsFor } from "../../time/series.ts";
import type { Progress } from "../profile/shown.ts";
import { serviceRoute } from "../url/router.ts";
import type { MergedSide } from "./measure.ts";
import { inParts } from "./parts.ts";
import { ROUNDED } from "./rounded.ts";

/** An hour in steps of 30 s. */
export const TIMELINE_POINTS = 120;

const SATURATED = "A total exceeds 64 bits and is capped at the maximum.";

/** What was read for an answer; of a server the requests are not known. */
export type Read = Pick<ProfileAnswer, "bytesRead" | "requests">;

/** A merged profile that is open in the core. */
export interface MergedProfile extends Omit<MergedSide, "coveredMillis"> {
  /** The total as decimal text. */
  exact: string;
  warnings: string[];
  read: Read;
  millis: number;
}

/** Fetches and decodes the merged profile of one query. The job then owns it. Null when there is no data. */
export async function openMerged(
  place: string,
  query: string,
  range: Span,
  progress: Progress,
  side = "",
  links: Links | null = null,
): Promise<MergedProfile | null> {
  const started = performance.now();
  progress.stage(`querying the ${place ? "bucket" : "server"}${side}`);
  const asked = await inParts(range, async (part) => {
    const heard = (bytes: number) => progress.stage(`reading${side}`, bytes);
    const answer = await fetchProfile(place, query, part, progress.signal, heard, links);
    if (!answer) return [];
    progress.stage(`decoding${side}`, answer.bytes.length);
    const info = await core.open(serviceRoute.peek().service, answer.bytes);
    progress.own(info.id);
    return [{ answer: { ...answer, bytes: null }, info }];
  });
  const parts = asked.flat();
  if (parts.length === 0) return null;
  let [{ info }] = parts;
  if (parts.length > 1) {
    progress.stage(`adding up ${parts.length} parts${side}`);
    info = await core.merge(parts.map((part) => part.info.id));
    progress.own(info.id);
  }
  const answers = parts.map(({ answer }) => answer);
  const sum = (of: "profiles" | keyof Read) => answers.reduce((all, answer) => all + answer[of], 0);
  const type = info.types[info.default_type];
  return {
    profile: info.id,
    type: info.default_type,
    total: type?.total ?? 0,
    exact: type?.total_exact ?? "0",
    unit: type?.unit ?? "",
    warnings: [
      ...info.warnings,
      ...(answers.some(({ saturated }) => saturated) ? [SATURATED] : []),
      ...(answers.some(({ rounded }) => rounded) ? [ROUNDED] : []),
      ...new Set(answers.flatMap(({ notes }) => notes)),
    ],
    profiles: sum("profiles"),
    read: { bytesRead: sum("bytesRead"), requests: sum("requests") },
    millis: performance.now() - started,
  };
}

/** "2.1 MB read", and of a bucket "in 12 requests". */
export function describeRead(...reads: Read[]): string {
  const sum = (of: keyof Read) => reads.reduce((all, read) => all + read[of], 0);
  const requests = sum("requests");
  const asked = requests > 0 ? ` in ${plural(requests, "request")}` : "";
  return `${formatBytes(sum("bytesRead"))} read${asked}`;
}

/** A timeline and its type: the page may have moved on to another one. */
export async function typedTimeline(
  place: string,
  query: string,
  range: Span,
  signal: AbortSignal,
): Promise<Timeline & { type: string }> {
  const timeline = await fetchTimeline(place, query, range, pointsFor(range, TIMELINE_POINTS), signal);
  return { ...timeline, type: query.slice(0, query.indexOf("{")) };
}
