/** When a version is new. */
import type { Mark } from "../../time/marks.ts";
import { mergeFactor } from "../../time/series.ts";
import { isVersion, labelOrder } from "./labels.ts";
import type { ValueTimeline } from "./labelvalues.ts";

/** More ticks than this tell nobody anything: the last ones stay. */
const MOST = 30;
/** What has so many digits is a commit, known by its first ones. */
const COMMIT = /^[0-9a-f]{16,}$/i;

/** The label that tells deploys apart, if there are several: the plainest name is the program's own. */
export function versionLabel(labels: Record<string, string[]>): string | undefined {
  const names = labelOrder(labels).filter((name) => labels[name].length > 1 && isVersion(name));
  return ["version", "service_version", "service_git_ref"].find((name) => names.includes(name)) ?? names[0];
}

/**
 * The first step of each value that begins inside the range. What is there when the range begins is not new, nor is the
 * first version of a service that begins in it; an agent that pushes seldom has no profile in the first steps.
 */
export function versionChanges(name: string, values: ValueTimeline[]): Mark[] {
  const first = ({ counts }: ValueTimeline) => counts.findIndex((count) => count > 0);
  const there = values.filter((timeline) => timeline.value !== "" && first(timeline) >= 0);
  const begin = Math.min(...there.map(first));
  return there
    .filter((timeline) => first(timeline) - begin > mergeFactor(timeline.counts))
    .map((timeline) => ({
      time: timeline.start + first(timeline) * timeline.step,
      text: `${name} ${versionText(timeline.value)}`,
    }))
    .sort((a, b) => a.time - b.time)
    .slice(-MOST);
}

function versionText(value: string): string {
  return COMMIT.test(value) ? value.slice(0, 8) : value;
}
