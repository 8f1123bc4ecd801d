/** What a view does in place of the page, while it is on the screen. */
import { signal } from "@preact/signals";
import type { Direction } from "../../core/types.ts";

/** Keys that move and zoom, in a picture that is no flame graph. */
export interface Moves {
  move: (direction: Direction) => void;
  zoom: (factor: number) => void;
  /** Shows the current function as large as can be read. */
  approach: () => void;
  fit: () => void;
}

export const moves = signal<Moves | null>(null);

/** Takes programs that are dropped on a page whose profiles a server has. */
export const takePrograms = signal<((programs: File[]) => void) | null>(null);

/** Takes those of some files that the view itself has use for, and gives the others back. */
export const takeFiles = signal<((files: File[]) => File[]) | null>(null);
