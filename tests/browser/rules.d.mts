/** Stacks of one rule: those it is about, and those that it must not be taken for. */
export interface Stacks {
  fires: string[];
  silent: string[];
}

export const RULES: Record<string, Stacks>;
export const NO_RULE: string[];
