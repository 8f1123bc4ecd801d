/** What both pages that query the server need of one query: its merged profile and its timeline. */
import { fetchProfile, fetchTimeline, type Timeline } from "../../api.ts";
import { core } from "../../core/index.ts";
import { formatBytes, plural } from "../../format/value.ts";
import type { Span } from "../../time/range.ts";
import { pointsFor } from "../../time/series.ts";
import type { Progress } from "../profile/shown.ts";
import { urlState } from "../url/router.ts";
import type { MergedSide } from "./measure.ts";

/** An hour in steps of 30 s. */
const TIMELINE_POINTS = 120;

const SATURATED = "A sum is larger than 64 bits can hold and is cut there.";

/** A merged profile that is open in the core. */
export interface MergedProfile extends MergedSide {
  /** The total as decimal text. */
  exact: string;
  warnings: string[];
  objects: number;
  bytesRead: number;
  /** "38 objects, 2.1 MB read". */
  read: string;
  millis: number;
}

/** Fetches and decodes the merged profile of one query. The job then owns it. Null when there is no data. */
export async function openMerged(
  query: string,
  range: Span,
  progress: Progress,
  side = "",
): Promise<MergedProfile | null> {
  const started = performance.now();
  progress.stage(`asking the server${side}`);
  const answer = await fetchProfile(query, range, progress.signal, (bytes) => progress.stage(`reading${side}`, bytes));
  if (!answer) return null;
  progress.stage(`decoding${side}`, answer.bytes.length);
  const info = await core.open(urlState.peek().service, answer.bytes);
  progress.own(info.id);
  const type = info.types[info.default_type];
  return {
    profile: info.id,
    profiledMillis: Number(info.duration_nanos) / 1e6,
    type: info.default_type,
    total: type?.total ?? 0,
    exact: type?.total_exact ?? "0",
    unit: type?.unit ?? "",
    warnings: [...info.warnings, ...(answer.saturated ? [SATURATED] : [])],
    profiles: answer.profiles,
    objects: answer.objects,
    bytesRead: answer.bytesRead,
    read: `${plural(answer.objects, "object")}, ${formatBytes(answer.bytesRead)} read`,
    millis: performance.now() - started,
  };
}

/** A timeline and its type: the page may have moved on to another one. */
export async function typedTimeline(
  query: string,
  range: Span,
  signal: AbortSignal,
): Promise<Timeline & { type: string }> {
  const timeline = await fetchTimeline(query, range, pointsFor(range, TIMELINE_POINTS), signal);
  return { ...timeline, type: query.slice(0, query.indexOf("{")) };
}
