/** Symbols of stored profiles: a program that is dropped on a service names its addresses, for everyone, from then on. */
import { askServer, json } from "../../api.ts";
import { ApiError } from "../../apierror.ts";
import { core } from "../../core/index.ts";
import type { Named } from "../../core/symbols.ts";
import { FileError } from "../../files/source.ts";
import { formatBytes, plural } from "../../format/value.ts";
import { lasting, notify } from "../page/notice.ts";
import { type Problem, problemOf } from "../problem.ts";
import { drawing } from "../profile/draw.ts";
import { checkSize, explain, noPart } from "../profile/programs.ts";
import { show, shown, work } from "../profile/shown.ts";
import { queue } from "../queue.ts";
import { refresh } from "../url/clock.ts";
import { withoutNames } from "./loadexplore.ts";

/** Two sentences take so long to read, and a large program to be read. */
const [READING_MILLIS, WORKING_MILLIS] = [10_000, 600_000];

/** A table as the server lists it. */
export interface SymbolTable {
  id: string;
  build_ids: string[];
  file: string;
  /** Bytes. */
  size: number;
  functions: number;
  /** Whether it knows lines. */
  lines: boolean;
  created: number;
}

const drops = queue();

/**
 * Stores what names the addresses of programs, one after the other, also of several drops. What becomes of each is said in a
 * notice, which stays where something failed; then the page is read again.
 */
export function storeSymbols(programs: File[]): Promise<void> {
  if (drops.isIdle()) lasting.value = "";
  return drops.run(() => storeAll(programs));
}

async function storeAll(programs: File[]): Promise<void> {
  const said: string[] = [];
  let [stored, failed] = [0, 0];
  for (const program of programs) {
    notify(`Reading the symbols of ${program.name}…`, WORKING_MILLIS);
    try {
      const { tables, kept } = await tablesOf(program);
      if (kept !== "") {
        said.push(kept);
        failed++;
      } else if (tables.length === 0) said.push(`${program.name} is already symbolized.`);
      for (const table of tables) {
        const { file, functions, lines } = await store(table);
        said.push(
          `Stored ${plural(functions, "function")} of ${file}${lines ? "" : ", without lines"}. Its profiles are now symbolized for everyone.`,
        );
        stored++;
      }
    } catch (failure) {
      const { title, meaning, tries } = problem(failure, `store the symbols of ${program.name}`);
      said.push(`${title}. ${meaning} ${tries.join(" ")}`);
      failed++;
    }
  }
  notify(failed > 0 ? "" : said.join(" "), READING_MILLIS);
  if (failed > 0) lasting.value = [lasting.peek(), ...said].filter((line) => line !== "").join("\n");
  if (stored > 0) refresh();
}

/** What is wrong, with what helps here: a range has nothing to do with it. */
function problem(failure: unknown, doing: string): Pick<Problem, "title" | "meaning" | "tries"> {
  const found = problemOf(failure, doing);
  if (!(failure instanceof ApiError)) return found;
  const tries = TRIES[failure.status] ?? ["Try again in a moment."];
  return { ...found, meaning: failure.reason ? `The server says: ${failure.reason}.` : found.meaning, tries };
}

const TRIES: Record<number, string[]> = {
  401: ["Enter a token with the push scope."],
  403: ["Enter a token with the push scope instead."],
  409: ["Delete the stored symbols in the settings on the front page."],
  413: ["Build the program with less debug information (-g1)."],
  429: ["Delete unused symbols in the settings on the front page."],
};

/**
 * The tables of a program that is part of what is shown; none when all its addresses have names. Where they cannot be stored
 * the program names what is shown, and `kept` says so.
 */
async function tablesOf(program: File): Promise<{ tables: Uint8Array<ArrayBuffer>[]; kept: string }> {
  checkSize(program);
  const { value } = shown;
  if (value.state !== "ready" || value.exported === null)
    throw new FileError("Open a profile of this program first.", [
      "Open the Profile view with profiles from this program, then drop the binary there.",
    ]);
  const { named, tables, refused } = await core.symbolTables(value.exported, program.name, program).catch(explain);
  const [answer] = named;
  if (!answer.fits) throw noPart([answer]);
  if (answer.byName)
    throw new FileError("No profile here has this binary's build ID, so its symbols can't be matched.", [
      "Link the program with a build ID (-Wl,--build-id).",
    ]);
  // Where the names are of a stored table, this one may know more.
  if (answer.addresses === 0 && !(await isListed(answer.ids))) return { tables: [], kept: "" };
  if (refused === "") return { tables, kept: "" };
  const sizes = refused.replace(/(\d{5,})( bytes)?/g, (_, bytes) => formatBytes(Number(bytes)));
  const kept = `Symbols of ${program.name} cannot be stored: ${sizes}.`;
  if (!(answer.pprof && (await nameShown(value.exported, answer)))) return { tables, kept };
  const addresses = plural(answer.addresses, "address", "addresses");
  return {
    tables,
    kept: `${kept} ${answer.named} of ${addresses} are resolved on this page only, until it is reloaded.`,
  };
}

/** Gives the frames on the page the names that were found, unless another picture has come or is on its way. */
async function nameShown(profile: number, found: Named): Promise<boolean> {
  const before = shown.peek();
  if (before.state !== "ready" || before.exported !== profile || work.peek()) return false;
  await show("symbolize the profile", async (progress) => {
    const info = await core.openNamed(profile, found);
    progress.own(info.id);
    const subject = { ...before.subject, profile: info.id, type: info.default_type };
    const draw = drawing(subject);
    const [drawn, old, unnamed] = await Promise.all([draw(), withoutNames(profile), withoutNames(info.id)]);
    const warnings = [...before.warnings.filter((text) => !old.includes(text)), ...unnamed];
    return { ...before, ...drawn, draw, subject, warnings, exported: info.id };
  });
  return true;
}

async function isListed(ids: string[]): Promise<boolean> {
  return (await listSymbols(null)).some(({ build_ids: listed }) => listed.some((id) => ids.includes(id)));
}

async function store(table: Uint8Array<ArrayBuffer>): Promise<SymbolTable> {
  const body = new Blob([table], { type: "application/octet-stream" });
  const response = await askServer("symbols", {}, null, { method: "POST", body });
  return (await response.json()) as SymbolTable;
}

export async function listSymbols(signal: AbortSignal | null): Promise<SymbolTable[]> {
  return (await json<{ tables: SymbolTable[] }>("symbols", {}, signal)).tables;
}

export async function deleteSymbols(id: string): Promise<void> {
  await askServer("symbols", { id }, null, { method: "DELETE" });
}
