import { ROOT } from "../core/types.ts";
import { baseName } from "../flame/label.ts";
import { extent, setExtent, zoom, zoomPath, zoomTo } from "../state/focus.ts";
import { FULL, isFull } from "../flame/extent.ts";

/** Links near the end are what one goes back to; the middle of a long path is folded. */
const SHOWN = 5;

/** The path of frames to the zoomed one. */
export function Crumbs() {
  const path = zoom.value === ROOT ? [] : (zoomPath.value.value ?? []);
  const partial = !isFull(extent.value);
  if (path.length === 0 && !partial) return null;
  const folded = path.length > SHOWN + 1;
  const shown = folded ? [path[0], ...path.slice(-SHOWN)] : path;
  return (
    <nav class="crumbs" aria-label="Zoom path" data-testid="crumbs">
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
        <button type="button" class="link" onClick={() => setExtent(FULL)}>
          {path.length > 0 && "· "}part of the width — show all
        </button>
      )}
    </nav>
  );
}
