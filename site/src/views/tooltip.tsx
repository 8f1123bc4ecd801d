import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { core } from "../core/index.ts";
import type { NodeDetail, TreeInfo } from "../core/types.ts";
import { definedAt } from "../format/functionplace.ts";
import { change, percent } from "../format/number.ts";
import { totalWord } from "../format/total.ts";
import { formatExact, formatValue, unitOf } from "../format/value.ts";
import { callFailed } from "../state/profile/shown.ts";
import { formatMoment } from "../time/moment.ts";

export interface Hover {
  x: number;
  y: number;
  node: number;
  /** The box stands for several frames too narrow to draw. */
  run: boolean;
}

const OFFSET = 14;

/** What is under the pointer. Pointer only: the live region and the list say the same to others. */
export function Tooltip({ hover, info }: { hover: Hover | null; info: TreeInfo | null }) {
  const detail = useSignal<NodeDetail | null>(null);
  const root = useRef<HTMLDivElement>(null);
  const node = hover?.node;
  useEffect(() => {
    if (node === undefined || !info) return;
    const stop = new AbortController();
    void core.node(info.id, node).then(
      (found) => {
        if (!stop.signal.aborted) detail.value = found;
      },
      callFailed(info.id, "show this frame's details"),
    );
    return () => stop.abort();
  }, [node, info]);
  useLayoutEffect(() => {
    const box = root.current;
    if (!box?.parentElement || !hover) return;
    const room = box.parentElement.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = box;
    const left = hover.x + OFFSET + width > room.width ? hover.x - OFFSET - width : hover.x + OFFSET;
    const top = hover.y + OFFSET + height > room.height ? hover.y - OFFSET - height : hover.y + OFFSET;
    box.style.transform = `translate(${Math.max(0, left)}px, ${Math.max(0, top)}px)`;
  });
  const shown = detail.value;
  if (!hover || !info || !shown || shown.node !== node) return null;
  return (
    <div class="tooltip" ref={root} data-testid="tooltip" aria-hidden="true">
      <Content detail={shown} info={info} run={hover.run} />
    </div>
  );
}

function Content({ detail, info, run }: { detail: NodeDetail; info: TreeInfo; run: boolean }) {
  const unit = unitOf(info);
  const place = definedAt(detail);
  return (
    <>
      {run && <p class="soft">Several frames too small to draw; the largest:</p>}
      <b>{detail.name}</b>
      {place && <p class="soft">{place}</p>}
      {detail.start !== null && <When start={detail.start} seconds={detail.total / 1e9} />}
      {detail.diff ? (
        <p>
          {formatValue(detail.diff.base_total, unit)} → {formatValue(detail.diff.comparison_total, unit)}{" "}
          <b>{change(detail.diff.base_total, detail.diff.comparison_total)}</b>
        </p>
      ) : (
        <>
          <p>
            {totalWord(detail.start)} <b>{formatValue(detail.total, unit)}</b> · {percent(detail.fraction)}
            <Exact value={detail.total} decimal={detail.total_exact} unit={unit} />
          </p>
          {!info.inverted && (
            <p>
              self <b>{formatValue(detail.self, unit)}</b> · {percent(detail.self_fraction)}
              <Exact value={detail.self} decimal={detail.self_exact} unit={unit} />
            </p>
          )}
        </>
      )}
    </>
  );
}

/** Of a chart: when the frame ran, since the recording's first sample. */
function When({ start, seconds }: { start: number; seconds: number }) {
  const [from, until] = [start, start + seconds].map((moment) => formatMoment(moment, seconds / 100));
  return (
    <p class="soft" data-testid="when">
      from {from} to {until}
    </p>
  );
}

/** The exact value, where the short form is not already that. */
function Exact({ value, decimal, unit }: { value: number; decimal: string; unit: string }) {
  const exact = formatExact(decimal, unit);
  return value === 0 || exact === formatValue(value, unit) ? null : <span class="soft"> {exact}</span>;
}
