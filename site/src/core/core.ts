import type { Engine } from "./viewer.ts";

/** The engine as the site sees it: every call is a promise, wherever the engine runs. */
export type Core = {
  [Call in keyof Engine]: (...args: Parameters<Engine[Call]>) => Promise<ReturnType<Engine[Call]>>;
};

export interface Request {
  id: number;
  call: keyof Engine;
  args: unknown[];
}

export interface Reply {
  id: number;
  value?: unknown;
  error?: string;
  /** The engine is broken (out of memory, a bug): nothing it holds can be trusted any more. */
  fatal?: boolean;
}

/** The core could not do what was asked; the message is its own. */
export class CoreError extends Error {
  readonly fatal: boolean;
  constructor(message: string, fatal: boolean) {
    super(message);
    this.fatal = fatal;
  }
}

export function describeFailure(failure: unknown): { error: string; fatal: boolean } {
  const error = failure instanceof Error ? failure.message : String(failure);
  // The viewer's panic hook throws with this prefix; out of memory is a bare trap.
  return { error, fatal: failure instanceof WebAssembly.RuntimeError || error.startsWith("internal error") };
}
