/** Answers of Pyroscope's query service, read by other code than ours. */
import { Reader } from "./reader.mjs";

export const CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";
/** A sample of folded stacks is a hundredth of a second. */
export const TICK = 10_000_000n;

/** Services of one run alone, whose profiles are pushed for `seconds`, and what asks for one of them. */
export function ownServices(prefix) {
  const seconds = Math.floor(Date.now() / 1000) - 900;
  const range = { start: BigInt(seconds - 60) * 1000n, end: BigInt(seconds + 120) * 1000n };
  const named = (service) => `${prefix}.${seconds}.${service}`;
  const side = (service, more = {}) => ({
    profileTypeID: CPU,
    labelSelector: `{service_name="${named(service)}"}`,
    ...range,
    ...more,
  });
  return { seconds, range, named, side };
}

/** Nodes of a tree as bytes: name, self, number of children. */
export function readTree(bytes) {
  const nodes = [];
  const reader = new Reader(bytes);
  while (!reader.isDone) {
    const name = new TextDecoder().decode(reader.take(Number(reader.varint())));
    nodes.push([name, reader.varint(), Number(reader.varint())]);
  }
  return nodes;
}

/** Stacks of a profile from the root, in ticks. */
export function stacks({ sample, location, function: functions, stringTable }) {
  const names = new Map(functions.map(({ id, name }) => [id, stringTable[Number(name)]]));
  const frames = new Map(location.map(({ id, line }) => [id, line.map(({ functionId }) => names.get(functionId))]));
  const text = ({ locationId }) =>
    [...locationId]
      .reverse()
      .flatMap((id) => frames.get(id))
      .join(";");
  return Object.fromEntries(sample.map((sample) => [text(sample), Number(sample.value[0] / TICK)]).sort());
}
