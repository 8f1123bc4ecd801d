/** What a bundle was made of, as a line. */
import type { Place } from "../bucket/objectplace.ts";
import { plural } from "./value.ts";

/** "Bundle 1f2e3d4c… · {service_name="checkout"} · 2026-11-01 to 2026-11-02 UTC · commit abc"; empty of what is no bundle. */
export function madeText(place: Place): string {
  if (!("made" in place)) return "";
  const { digest, made } = place;
  const { selector, from, until, commit, when, files, incomplete } = made;
  return [
    digest === "" ? "Bundle" : `Bundle ${digest.slice(0, 8)}…`,
    selector,
    from !== undefined && until !== undefined && spanText(from, until),
    files !== undefined && plural(files, "file"),
    commit && `commit ${/^[0-9a-f]{13,}$/.test(commit) ? commit.slice(0, 12) : commit}`,
    when !== undefined && `exported ${timeText(when)} UTC`,
    incomplete && "incomplete: some profiles in this range had expired",
  ]
    .filter(Boolean)
    .join(" · ");
}

/** Days where the span has several, else times. The end is not part of it. */
function spanText(from: number, until: number): string {
  const [first, last] = [dayText(from), dayText(until - 1)];
  if (first !== last) return `${first} to ${last} UTC`;
  const [begin, end] = [timeText(from), timeText(until)];
  return begin === end ? `${begin} UTC` : `${begin} to ${end.slice(-5)} UTC`;
}

/** "2026-11-01 14:03". */
function timeText(time: number): string {
  return `${dayText(time)} ${new Date(time).toISOString().slice(11, 16)}`;
}

function dayText(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
