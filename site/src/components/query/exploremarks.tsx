import { series } from "../../state/query/loadexplore.ts";
import { allMarks } from "../../state/query/shownmarks.ts";
import "../../state/query/annotations.ts";
import "../../state/query/versionmarks.ts";
import { Marks } from "./timelinemarks.tsx";

/** New versions, and what was annotated, over the timeline of /explore. */
export function ExploreMarks() {
  return series.value ? <Marks series={series.value} marks={allMarks.value} /> : null;
}
