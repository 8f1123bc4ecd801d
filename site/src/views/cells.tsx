import type { DiffValues, TableRow, TreeInfo } from "../core/types.ts";
import { baseName } from "../flame/framelabel.ts";
import { change, percent } from "../format/number.ts";
import { formatDelta, formatValue, unitOf, wholeUnit } from "../format/value.ts";

/** A name whose path gives way first where room is short: what tells functions apart is at the end. */
export function Name({ name }: { name: string }) {
  const base = baseName(name);
  return (
    <span class="parts">
      <span class="path">{name.slice(0, name.length - base.length)}</span>
      <span class="base">{base}</span>
    </span>
  );
}

/** At the head of amounts: what they count, where their unit does not say. A comparison has room for it once. */
export function Counted({ info }: { info: TreeInfo }) {
  const unit = unitOf(info);
  return unit === info.unit ? null : <small> {wholeUnit(unit).of}</small>;
}

type Amounts = Pick<TableRow, "self" | "total" | "self_fraction" | "total_fraction"> & { diff: DiffValues | null };
interface ValuesProps {
  of: Amounts;
  unit: string;
  /** Whether there are self values. */
  self?: boolean;
  role?: "cell";
}

/** What a function or a frame costs, or both sides of a comparison and the change. */
export function Values({ of, unit, self = true, role }: ValuesProps) {
  const { diff } = of;
  if (!diff) {
    return (
      <>
        {self && <Amount value={of.self} fraction={of.self_fraction} unit={unit} role={role} />}
        <Amount value={of.total} fraction={of.total_fraction} unit={unit} role={role} />
      </>
    );
  }
  return (
    <>
      <span role={role} class="num">
        {formatValue(diff.base_total, unit)}
      </span>
      <span role={role} class="num">
        {formatValue(diff.comparison_total, unit)}
      </span>
      <Change from={diff.base_total} to={diff.comparison_total} unit={unit} role={role} />
      {self && <Change from={diff.base_self} to={diff.comparison_self} unit={unit} role={role} />}
    </>
  );
}

function Change({ from, to, unit, role }: { from: number; to: number; unit: string; role?: "cell" }) {
  const delta = formatDelta(to - from, unit);
  return (
    <span role={role} class="num" title={delta}>
      <span class="delta">{delta}</span> <small>{change(from, to)}</small>
    </span>
  );
}

function Amount(props: { value: number; fraction: number; unit: string; role?: "cell" }) {
  const { value, fraction, unit, role } = props;
  return (
    <span role={role} class="num" style={{ "--share": `${Math.min(fraction, 1) * 100}%` }}>
      {formatValue(value, unit)} <small>{percent(fraction)}</small>
    </span>
  );
}
