import type { Engine } from "./viewer.ts";

/** The engine as the site sees it: every call is a promise, wherever the engine runs. */
export type Core = {
  [Call in keyof Engine]: (...args: Parameters<Engine[Call]>) => Promise<Awaited<ReturnType<Engine[Call]>>>;
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
  kind?: FailureKind;
}

/** `empty`, `unread` (another format), `sampleless` (whole, but no profile) and `damaged` are about a file, `different` about two that do not fit each other. */
export type FailureKind = "empty" | "unread" | "sampleless" | "damaged" | "different" | "other";
const KINDS: FailureKind[] = ["empty", "unread", "sampleless", "damaged", "different"];

/** The core could not do what was asked; the message is its own. */
export class CoreError extends Error {
  readonly fatal: boolean;
  readonly kind: FailureKind;
  constructor(message: string, fatal: boolean, kind: FailureKind = "other") {
    super(message);
    this.fatal = fatal;
    this.kind = kind;
  }
}

export function describeFailure(failure: unknown): { error: string; fatal: boolean; kind: FailureKind } {
  const error = failure instanceof Error ? failure.message : String(failure);
  // The viewer's panic hook throws with this prefix; out of memory is a bare trap.
  const fatal = failure instanceof WebAssembly.RuntimeError || error.startsWith("internal error");
  const kind = KINDS.find((kind) => failure instanceof Error && failure.name === kind) ?? "other";
  return { error, fatal, kind };
}
