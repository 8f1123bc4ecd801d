const WIDTH = 240;
const HEIGHT = 48;

/** The shape of values over time, without axes. */
export function Sparkline({ points }: { points: number[] }) {
  const max = Math.max(1, ...points);
  const step = WIDTH / Math.max(1, points.length);
  // Steps, as a bucket's value holds for all of its time.
  const path = points.map((value, i) => {
    const y = round(HEIGHT - 2 - (value / max) * (HEIGHT - 4));
    return `${i === 0 ? "M" : "L"}${round(i * step)} ${y}H${round((i + 1) * step)}`;
  });
  const line = path.join("");
  return (
    <svg class="sparkline" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <path class="area" d={`${line}V${HEIGHT}H0Z`} />
      <path class="line" d={line} vector-effect="non-scaling-stroke" />
    </svg>
  );
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
