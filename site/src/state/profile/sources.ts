/** The profiles that the picture is made of, as far as they can be handed on. */
import { checked, comparing } from "./files.ts";
import type { Shown } from "./shown.ts";

/** A profile that is open in the core. */
export interface Source {
  id: number;
  name: string;
}

/** One, or both sides of a comparison. Two parts of one file have no file of their own to export. */
export function sourcesOf(shown: Shown): Source[] {
  if (shown.state !== "ready") return [];
  if (shown.exported !== null) return shown.tree.diff ? [] : [{ id: shown.exported, name: shown.title }];
  const { compared } = shown;
  if (compared)
    return [
      { id: compared.base.id, name: `${compared.base.name}, baseline` },
      { id: compared.other.id, name: `${compared.other.name}, comparison` },
    ];
  return comparing.value ? checked.value.map(({ info: { id, name } }) => ({ id, name })) : [];
}
