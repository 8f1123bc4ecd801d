import { ROOT } from "../core/types.ts";
import { isFull } from "../flame/extent.ts";
import { baseName } from "../flame/framelabel.ts";
import { knowsZoom } from "../state/page/zoomhint.ts";
import { announcement, extent, reset, tree, zoom, zoomedDetail, zoomTo } from "../state/profile/focus.ts";
import { seenView } from "../state/profile/offeredviews.ts";
import { isShown } from "../state/profile/shown.ts";
import { group } from "../state/profile/stepchanges.ts";
import type { View } from "../state/url/route.ts";

/** Links near the end are what one goes back to; the middle of a long path is folded. */
const SHOWN = 5;
const [CLICK, DOUBLE_CLICK] = matchMedia("(pointer: coarse)").matches
  ? ["Tap", "Double-tap"]
  : ["Click", "Double-click"];
const ZOOM_HINT = `${DOUBLE_CLICK} a frame to zoom`;
/** Views that do not zoom to a frame, and what a click on a function there is for. */
const PURPOSES: Partial<Record<View, string>> = {
  table: "for details",
  tree: "for details",
  sandwich: "to see its callers and callees",
  lines: "to see its lines",
  graph: "for details",
};

/**
 * The path of frames to the zoomed one. Its row stays when there is none, and in all views: a picture that moved down in the
 * middle of a gesture would be zoomed at another row.
 */
export function Breadcrumbs() {
  return (
    <div class="crumbs">
      <Path />
      {/* A screen reader hears it of the picture. */}
      <span class="current-line" aria-hidden="true">
        {announcement}
      </span>
    </div>
  );
}

function Path() {
  const { value, problem } = zoomedDetail.value;
  const purpose = PURPOSES[seenView.value];
  const hint = purpose && `${CLICK} a ${seenView.value === "tree" ? "frame" : group.value} ${purpose}`;
  const path = zoom.value === ROOT ? [] : (value?.path ?? []);
  const partial = !isFull(extent.value);
  if (problem && tree.value && isShown(tree.value.id)) {
    return <span class="hint">{`${problem.title}. ${problem.meaning}`}</span>;
  }
  if (hint || (path.length === 0 && !partial))
    return knowsZoom.value ? null : <span class="hint">{hint ?? ZOOM_HINT}</span>;
  const folded = path.length > SHOWN + 1;
  const shown = folded ? [path[0], ...path.slice(-SHOWN)] : path;
  return (
    <nav aria-label="Zoom path" data-testid="crumbs">
      {shown.map(({ node, name }, i) => (
        <span key={node}>
          {i > 0 && <span aria-hidden="true"> › </span>}
          {folded && i === 1 && <span title={`${path.length - SHOWN - 1} more frames`}>… › </span>}
          {node === zoom.value ? (
            <b title={name}>{baseName(name)}</b>
          ) : (
            <button type="button" class="link" title={name} onClick={() => void zoomTo(node)}>
              {baseName(name)}
            </button>
          )}
        </span>
      ))}
      {partial && (
        <span class="reset">
          <span>{path.length > 0 && " · "}Zoomed in · </span>
          <button type="button" class="link" title="Show everything again" onClick={() => void reset()}>
            Reset (0)
          </button>
        </span>
      )}
    </nav>
  );
}
