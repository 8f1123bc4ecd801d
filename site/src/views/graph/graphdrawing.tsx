// biome-ignore-all lint/a11y/useKeyWithClickEvents: the drawing has the keys, and says which node is current.
// biome-ignore-all lint/a11y/noStaticElementInteractions: who cannot see the drawing has tables.
import { useComputed } from "@preact/signals";
import { Flag } from "../../core/boxes.ts";
import type { TreeInfo } from "../../core/types.ts";
import { opacity, textOpacity } from "../../flame/paint.ts";
import { diffColour, hueColour, makePalette } from "../../flame/palette.ts";
import { change, percent } from "../../format/number.ts";
import { formatValue, unitOf } from "../../format/value.ts";
import { curve } from "../../graph/curve.ts";
import { colours, readToken } from "../../state/page/theme.ts";
import { at, graphMarks, type Placed, selectFunction } from "../../state/profile/graphlayout.ts";

/** The width of an edge that all of the profile goes through, and of one that next to nothing does. */
const [WIDEST, THINNEST] = [6, 0.75];

/** Edges first, so that nodes are above them. */
export function Drawing({ placed, info }: { placed: Placed; info: TreeInfo }) {
  const palette = useComputed(() => {
    colours.value;
    return makePalette(readToken);
  });
  const { graph, places, labels } = placed;
  const unit = unitOf(info);
  return (
    <>
      <defs>
        <marker
          id="graph-arrow"
          viewBox="0 0 8 8"
          refX="7"
          refY="4"
          markerWidth="8"
          markerHeight="8"
          markerUnits="userSpaceOnUse"
          orient="auto"
        >
          <path d="M0 0L8 4L0 8Z" />
        </marker>
      </defs>
      {graph.edges.map(({ from, to, fraction, total, base, comparison, residual }, i) => (
        <g key={`${from} ${to}`} class={residual ? "edge residual" : "edge"}>
          <title>
            {`${graph.nodes[from].name} → ${graph.nodes[to].name}\n${
              info.diff
                ? `${formatValue(base, unit)} → ${formatValue(comparison, unit)} ${change(base, comparison)}`
                : `${formatValue(total, unit)}, ${percent(fraction)}`
            }${residual ? "\nthrough functions that are left out" : ""}`}
          </title>
          <path
            d={curve(places.edges[i].points)}
            stroke-width={THINNEST + Math.max(fraction, 0) * (WIDEST - THINNEST)}
            marker-end="url(#graph-arrow)"
          />
          <text x={places.edges[i].label.x} y={places.edges[i].label.y}>
            {info.diff ? change(base, comparison) : percent(fraction)}
          </text>
        </g>
      ))}
      {graph.nodes.map((row, i) => {
        const { x, y } = places.nodes[i];
        const { name, values, scale, ...size } = labels[i];
        const [width, height] = [size.width / scale, size.height / scale];
        const paint = graph.paints[i];
        const flags = graphMarks.value[i] ?? 0;
        const kind = [flags & Flag.Same ? "selected" : "", at.value === i ? "current" : ""].join(" ");
        return (
          <g
            key={row.func}
            class={`node ${kind}`}
            transform={`translate(${x - size.width / 2} ${y - size.height / 2}) scale(${scale})`}
            data-testid="graph-node"
            data-func={row.func}
            data-match={(flags & Flag.Match) !== 0}
            onClick={() => void selectFunction(placed, i)}
          >
            <title>{titleOf(row, info)}</title>
            <rect
              width={width}
              height={height}
              rx={4}
              fill={info.diff ? diffColour(palette.value, paint) : hueColour(palette.value, paint)}
              fill-opacity={opacity(flags)}
            />
            <g opacity={textOpacity(flags)}>
              <text x={width / 2} y={17}>
                {name}
              </text>
              <text class="values" x={width / 2} y={32}>
                {values}
              </text>
              {!info.diff && (
                <Shares width={width} y={height - 4} self={row.self_fraction} total={row.total_fraction} />
              )}
            </g>
          </g>
        );
      })}
    </>
  );
}

/** Self and total as bars. */
function Shares({ width, y, self, total }: { width: number; y: number; self: number; total: number }) {
  const part = (fraction: number) => Math.min(Math.max(fraction, 0), 1) * (width - 8);
  return (
    <>
      <rect class="share" x={4} y={y - 1} width={part(total)} height={2} />
      <rect class="share self" x={4} y={y - 1} width={part(self)} height={2} />
    </>
  );
}

function titleOf(row: Placed["graph"]["nodes"][number], info: TreeInfo): string {
  const unit = unitOf(info);
  const { name, file, diff, self, total, self_fraction, total_fraction } = row;
  const values = diff
    ? `${formatValue(diff.base_total, unit)} → ${formatValue(diff.comparison_total, unit)} ${change(diff.base_total, diff.comparison_total)}`
    : `total ${formatValue(total, unit)}, ${percent(total_fraction)}\nself ${formatValue(self, unit)}, ${percent(self_fraction)}`;
  return [name, file, values].filter(Boolean).join("\n");
}
