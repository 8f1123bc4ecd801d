/** Names for profile types, whose ids are name:sample type:sample unit:period type:period unit. */

export interface TypeParts {
  name: string;
  sample: string;
  unit: string;
}

export function typeParts(id: string): TypeParts {
  const [name = "", sample = "", unit = ""] = id.split(":");
  return { name, sample, unit };
}

/** "cpu", "memory · inuse space": the profiler's name only where it adds something. */
export function typeLabel(id: string): string {
  const { name, sample } = typeParts(id);
  const group = name.replace(/^process_/, "").replace(/_/g, " ");
  const what = sample.replace(/_/g, " ");
  if (what === "" || what === group) return group || id;
  return `${group} · ${what}`;
}

/** CPU first, then the alphabet: what most people came for is on top. */
export function compareTypes(a: string, b: string): number {
  const rank = (id: string) => (id.startsWith("process_cpu:cpu:") ? 0 : id.startsWith("process_cpu:") ? 1 : 2);
  return rank(a) - rank(b) || (a < b ? -1 : a > b ? 1 : 0);
}
