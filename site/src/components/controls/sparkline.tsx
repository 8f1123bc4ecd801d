import type { Piece } from "../../time/drawn.ts";

const WIDTH = 240;
const HEIGHT = 48;

interface Shape {
  pieces: Piece[];
  /** The highest of several that have one scale. */
  peak?: number;
  /** From where to where something is worth a look, as parts of the width. */
  marked?: [number, number];
}

/** The shape of values over time, without axes. */
export function Sparkline({ pieces, peak, marked }: Shape) {
  const max = (peak ?? Math.max(...pieces.map(({ value }) => value ?? 0))) || 1;
  const step = WIDTH / Math.max(1, Math.ceil(pieces.at(-1)?.until ?? 0));
  // Steps, as a bucket's value holds for all of its time.
  let line = "";
  let area = "";
  for (const [i, { value, ...piece }] of pieces.entries()) {
    if (value === null) continue;
    const y = round(HEIGHT - 2 - (value / max) * (HEIGHT - 4));
    const [from, until] = [round(piece.from * step), round(piece.until * step)];
    const joins = i > 0 && pieces[i - 1].value !== null;
    line += `${joins ? "L" : "M"}${from} ${y}H${until}`;
    area += `M${from} ${HEIGHT}V${y}H${until}V${HEIGHT}Z`;
  }
  return (
    <svg class="sparkline" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <path class="area" d={area} />
      {marked && <rect class="marked" x={marked[0] * WIDTH} width={(marked[1] - marked[0]) * WIDTH} height={HEIGHT} />}
      <path class="line" d={line} vector-effect="non-scaling-stroke" />
    </svg>
  );
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
