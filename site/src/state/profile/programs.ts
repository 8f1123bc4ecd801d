/** Programs that are dropped beside profiles: their symbols name the profiles' addresses. */

import { CoreError } from "../../core/core.ts";
import { core } from "../../core/index.ts";
import type { Named } from "../../core/symbols.ts";
import type { ProfileInfo } from "../../core/types.ts";
import type { Symbolized } from "../../core/viewer.ts";
import { FileError } from "../../files/source.ts";
import { formatBytes, plural } from "../../format/value.ts";
import { type Problem, problemOf } from "../problem.ts";
import { untilAborted } from "./cancel.ts";

/** What the reader takes: its memory holds the program and what it makes of it. */
const MAX_PROGRAM_BYTES = 2 ** 30;

export interface Program {
  name: string;
  file: Blob;
}

/** What programs made of profiles. */
export interface Naming {
  /** What each profile became, by its number before. */
  renamed: Map<number, ProfileInfo>;
  failed: Problem[];
  /** What to tell the person: how many addresses of which program have names now. */
  said: string[];
}

/** Names the addresses of profiles, which have these numbers, with programs. `say` hears which is at work. */
export async function nameAddresses(
  programs: Program[],
  profiles: number[],
  say: (name: string) => void,
  signal: AbortSignal,
): Promise<Naming> {
  const naming: Naming = { renamed: new Map(), failed: [], said: [] };
  // Names that are given stay, so the one that knows more goes first: debug information is larger than what is left of a
  // program without it.
  for (const program of programs.toSorted((a, b) => b.file.size - a.file.size)) {
    say(program.name);
    try {
      await nameFrom(program, profiles, naming, signal);
    } catch (failure) {
      signal.throwIfAborted();
      naming.failed.push({ ...problemOf(failure, "read it"), title: program.name });
    }
  }
  return naming;
}

async function nameFrom(
  { name, file }: Program,
  profiles: number[],
  { renamed, said }: Naming,
  signal: AbortSignal,
): Promise<void> {
  if (profiles.length === 0)
    throw new FileError("This is a binary, not a profile.", [
      "Open a profile first, then add this binary to symbolize it.",
    ]);
  checkSize(file);
  const now = profiles.map((id) => renamed.get(id)?.id ?? id);
  const answers = await untilAborted(core.symbolize(now, name, file), madeBy, signal).catch(explain);
  const fitting = answers.filter(({ fits }) => fits);
  if (fitting.length === 0) throw noPart(answers);
  for (const [i, { info }] of answers.entries()) {
    if (!info) continue;
    const between = renamed.get(profiles[i]);
    if (between) void core.close(between.id);
    renamed.set(profiles[i], info);
  }
  const [named, addresses] = [sum(fitting.map((one) => one.named)), sum(fitting.map((one) => one.addresses))];
  said.push(
    addresses === 0
      ? `${name} is already symbolized`
      : `${named} of ${plural(addresses, "address", "addresses")} symbolized with ${name}`,
  );
}

/** Says so where a program is too large to be read. */
export function checkSize(file: Blob): void {
  if (file.size > MAX_PROGRAM_BYTES)
    throw new FileError(`This binary is ${formatBytes(file.size)}; the limit is ${formatBytes(MAX_PROGRAM_BYTES)}.`, [
      "Build the program with less debug information: line tables are enough (-g1).",
    ]);
}

function madeBy(answers: Symbolized[]): number[] {
  return answers.flatMap(({ info }) => (info ? [info.id] : []));
}

/** The reader says what is wrong with a program; that the viewer broke is said as ever. */
export function explain(failure: unknown): never {
  if (!(failure instanceof CoreError) || failure.fatal) throw failure;
  throw new FileError(`The binary's symbols can't be read: ${failure.message}.`, [
    "Use the unstripped binary, or its debug file.",
  ]);
}

export function noPart(answers: Pick<Named, "ids" | "wanted">[]): FileError {
  const ids = new Set(answers.flatMap(({ ids }) => ids));
  const wanted = new Set(answers.flatMap(({ wanted }) => wanted));
  const own = ids.size > 0 ? `its build ID is ${[...ids].join(" or ")}` : "it has no build ID";
  return new FileError(`This binary isn't part of the open profiles: ${own}.`, [
    wanted.size > 0
      ? `Unresolved addresses are in ${[...wanted].join(", ")}.`
      : "The profiles have no unresolved addresses.",
  ]);
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, n) => total + n, 0);
}
