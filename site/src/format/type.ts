/** Names for profile types, whose ids are name:sample type:sample unit:period type:period unit. */

import { unitOf } from "./value.ts";

export interface TypeParts {
  name: string;
  sample: string;
  unit: string;
}

export function typeParts(id: string): TypeParts {
  const [name = "", sample = "", unit = ""] = id.split(":");
  return { name, sample, unit: unitOf({ type: sample, unit }) };
}

/** "cpu", "memory · inuse space", "goroutines": the profiler's name only where it adds something. */
export function typeLabel(id: string): string {
  const { name, sample, unit } = typeParts(id);
  const group = name.replace(/^process_/, "").replace(/_/g, " ");
  const what = sample.replace(/_/g, " ");
  // Some agents count in the plural: goroutine:goroutines and goroutines:goroutine are the same.
  const [one, other] = [group, what].map((word) => word.replace(/s$/, ""));
  if (one === other && unit === `${one}s`) return unit;
  if (what === "" || what === group) return group || id;
  return `${group} · ${what}`;
}

/** Whether two types have the same name and unit for people: they differ in the period type, which cards don't show. */
export function readAlike(a: string, b: string): boolean {
  return typeLabel(a) === typeLabel(b) && typeParts(a).unit === typeParts(b).unit;
}

/** Whether a type is CPU time: a second of it in a second is a core, and costs. */
export function isCpu(id: string): boolean {
  const { sample, unit } = typeParts(id);
  return sample === "cpu" && unit === "nanoseconds";
}

/**
 * Whether a type says how much there is at an instant, not how much was spent: memory in use, goroutines. The sum of
 * snapshots of one and the same thing means nothing, so such types are shown as the average a snapshot.
 */
export function isGauge(id: string): boolean {
  const { name, sample } = typeParts(id);
  return (
    /^(inuse_\w+|goroutines?|goroutine_?leak|threads?|live)$/.test(sample) ||
    /^(goroutines?|goroutine_?leak|threadcreate)$/.test(name)
  );
}

/** Of a profiler's types bytes and times are shown before numbers: the last of these first. */
const AMOUNTS = ["delay", "space", "alloc_space", "inuse_space"];

/** CPU first, then by profiler: what most people came for is on top. */
export function compareTypes(a: string, b: string): number {
  const [x, y] = [a, b].map((id) => {
    const { name, sample } = typeParts(id);
    const rank = id.startsWith("process_cpu:cpu:") ? 0 : id.startsWith("process_cpu:") ? 1 : 2;
    return { rank, name, amount: AMOUNTS.indexOf(sample) };
  });
  const order = (m: string, n: string) => (m < n ? -1 : m > n ? 1 : 0);
  return x.rank - y.rank || order(x.name, y.name) || y.amount - x.amount || order(a, b);
}
