/** How profiles come onto /file: from the disk, out of folders and archives, from the addresses in a link. */
import { batch, computed, signal, untracked } from "@preact/signals";
import { core } from "../../core/index.ts";
import { type Found, filesBelow, isNoise } from "../../files/folder.ts";
import { type Gathered, gather } from "../../files/gather.ts";
import { beginsProgram, isProgram } from "../../files/program.ts";
import type { Source } from "../../files/source.ts";
import { trackWork } from "../../settled.ts";
import { notify } from "../page/notice.ts";
import { token } from "../page/token.ts";
import { twoFiles } from "../page/twofiles.ts";
import { type Problem, problemOf } from "../problem.ts";
import { queue } from "../queue.ts";
import type { RouteOf } from "../url/route.ts";
import { fileRoute, go, type Patch, route, visit } from "../url/router.ts";
import { untilAborted } from "./cancel.ts";
import { files, type OpenedFile, opening } from "./files.ts";
import { takePrograms } from "./instead.ts";
import { type Naming, nameAddresses, type Program } from "./programs.ts";
import { sharedTypes, typesDiffer } from "./sametypes.ts";

/** Files that could not be read, each under its name; they stay in view until dismissed or replaced. */
export const failures = signal<Problem[]>([]);

const batches = queue();

/** Opens files one after another; those opened together are looked at together. What comes meanwhile waits its turn. */
export async function openFiles(chosen: Iterable<File>): Promise<void> {
  const list = [...chosen];
  const elsewhere = takePrograms.peek() ?? sayWhere();
  if (elsewhere && list.length > 0 && (await Promise.all(list.map(isProgram))).every(Boolean)) return elsewhere(list);
  const found = list.map((file) => ({ file, path: file.name }));
  if (found.length > 0) await open((signal) => gather(found, signal), FROM_DISK);
}

/** Where programs alone have no use; null where there are opened profiles whose addresses they name. */
function sayWhere(): ((programs: File[]) => void) | null {
  const { page } = route.peek();
  if (page === "file" || (page === "home" && files.peek().length > 0)) return null;
  return ([{ name }, ...more]) => {
    const what = more.length > 0 ? "These are binaries, not profiles" : `${name} is a binary, not a profile`;
    notify(`${what}. To symbolize profiles, drop binaries on a service or an open file.`, READING_MILLIS);
  };
}

/** Opens all files below a folder that was chosen. */
export function openFolder(list: Iterable<File>): Promise<void> {
  const below = (file: File): Found => ({ file, path: file.webkitRelativePath.replace(/^[^/]*\//, "") || file.name });
  const found = [...list].map(below).filter(({ path }) => !isNoise(path));
  return open((signal) => gather(found, signal), FROM_DISK);
}

/** Opens files and folders that were dropped. */
export function openEntries(entries: FileSystemEntry[]): Promise<void> {
  return open(async (signal) => gather(await filesBelow(entries, signal), signal), FROM_DISK);
}

/** A profile as text, from the clipboard. On a page of services, text that is no profile leaves the page as it is. */
export async function openText(text: string): Promise<void> {
  const file = new File([text], "pasted text");
  const { page } = route.peek();
  if (page !== "home" && page !== "file") {
    try {
      const { id } = await core.open(file.name, new Uint8Array(await file.arrayBuffer()));
      void core.close(id);
    } catch (failure) {
      return notify(`The pasted text can't be opened. ${problemOf(failure, "read it").meaning}`);
    }
  }
  return openFiles([file]);
}

/** As text, so that equal values are equal. With the token that the server asked for a share is asked for again. */
const linked = computed(() => {
  const { shares, addresses } = fileRoute.value;
  return JSON.stringify({ shares, addresses, token: shares.length > 0 && token.value });
});

/** Fetches what the link names. Runs again whenever what it reads changes. */
export function loadAddresses(): void {
  const wanted = JSON.parse(linked.value) as Linked;
  if (wanted.shares.length > 0 || wanted.addresses.length > 0) untracked(() => void openAddresses(wanted));
}

type Linked = Pick<RouteOf<"file">, "shares" | "addresses">;

async function openAddresses({ shares, addresses }: Linked): Promise<void> {
  const wanted = [...shares.map(shareAddress), ...addresses.map(({ url }) => url)];
  const there = files.peek().filter(({ address }) => wanted.includes(address));
  if (there.length === wanted.length) {
    // By way of the browser's history: they are open still.
    files.value = files.peek().map((file) => ({ ...file, checked: there.includes(file) }));
    return;
  }
  const find = async (): Promise<Gathered> => {
    const { addressSource } = await import("../../files/address.ts");
    const { shareSource } = await import("../../files/share.ts");
    return {
      sources: [...shares.map((id) => shareSource(id, shareAddress(id))), ...addresses.map(addressSource)],
      refused: [],
    };
  };
  // The rest of the link says what of them is seen.
  await open(find, {});
}

/** Where a share stands among what is open. */
const shareAddress = (id: string) => `share:${id}`;

/** What the address bar said of other files means nothing to these. */
const FROM_DISK: Patch = {
  zoom: null,
  extent: [0, 1],
  graph: null,
  selection: null,
  compare: false,
  shares: [],
  addresses: [],
};
/** Frames with other names are other frames. */
const RENAMED: Patch = { zoom: null, extent: [0, 1], graph: null, selection: null };
/** A person looks away and back in this time. */
const READING_MILLIS = 8000;

function open(find: (signal: AbortSignal) => Promise<Gathered>, seen: Patch): Promise<void> {
  return batches.run(() => trackWork(openBatch(find, seen)).finally(() => (opening.value = null)));
}

async function openBatch(find: (signal: AbortSignal) => Promise<Gathered>, seen: Patch): Promise<void> {
  if (route.peek().page !== "file") visit("file");
  const stop = new AbortController();
  const { signal } = stop;
  const cancel = () => {
    stop.abort();
    opening.value = null;
  };
  const say: Say = (progress) => {
    if (!signal.aborted) opening.value = { ...progress, cancel };
  };
  failures.value = [];
  const opened: OpenedFile[] = [];
  const programs: Program[] = [];
  const failed: Problem[] = [];
  let naming: Naming = { renamed: new Map(), failed: [], said: [] };
  try {
    say({ stage: "looking through", name: "the files", bytes: 0, size: 0 });
    const { sources, refused } = await find(signal);
    for (const { name, failure } of refused) failed.push({ ...problemOf(failure, "read it"), title: name });
    for (const [i, source] of sources.entries()) {
      const position = sources.length > 1 ? ` (${i + 1} of ${sources.length})` : "";
      try {
        const found = await openSource(
          source,
          (progress) => say({ ...progress, name: source.name + position }),
          signal,
        );
        if ("info" in found) opened.push(found);
        else programs.push(found);
      } catch (failure) {
        signal.throwIfAborted();
        failed.push({ ...problemOf(failure, "read it"), title: source.name });
      }
    }
    if (programs.length > 0) {
      const profiles = [...files.peek(), ...opened].map(({ info }) => info.id);
      const sayName = (name: string) => say({ stage: "symbolizing with", name, bytes: 0, size: 0 });
      naming = await nameAddresses(programs, profiles, sayName, signal);
    }
  } catch (failure) {
    if (signal.aborted) return;
    throw failure;
  }
  const [first] = opened;
  const { renamed } = naming;
  // What measures something else can't be merged with the first. It waits in the list, unless the two can be compared.
  const pair = opened.length === 2 && sharedTypes(opened).length > 0;
  const together = opened.map((file) => ({ ...file, checked: pair || !typesDiffer([first, file]) }));
  const rename = (file: OpenedFile) => ({ ...file, info: renamed.get(file.info.id) ?? file.info });
  batch(() => {
    const before = first ? files.peek().map((file) => ({ ...file, checked: false })) : files.peek();
    files.value = [...before, ...together].map(rename);
    failures.value = [...failed, ...naming.failed];
    opening.value = null;
    // While no file is open, the address is of those that come.
    const asked = before.length === 0 && together.length > 1 && fileRoute.peek().compare;
    // A link says itself what is seen.
    const compare = seen === FROM_DISK && (asked || (pair && twoFiles.peek() === "compare"));
    if (first) go(compare ? { ...seen, compare } : seen, "replace");
    else if (renamed.size > 0) go(RENAMED, "replace");
  });
  for (const [before, { id }] of renamed) {
    // One may have been closed meanwhile.
    const isOpen = files.peek().some(({ info }) => info.id === id);
    void core.close(isOpen ? before : id);
  }
  if (naming.said.length > 0) notify(naming.said.join(". "), READING_MILLIS);
}

type Say = (progress: { stage: string; name: string; bytes: number; size: number }) => void;

async function openSource(
  source: Source,
  say: (progress: { stage: string; bytes: number; size: number }) => void,
  signal: AbortSignal,
): Promise<OpenedFile | Program> {
  const { stage, address, file } = source;
  say({ stage, bytes: 0, size: source.size });
  if (file && (await isProgram(file))) return { name: source.name, file };
  const bytes = await source.read(signal, (bytes, size) => say({ stage, bytes, size }));
  signal.throwIfAborted();
  // The server says what a share is called.
  const { name } = source;
  if (!file && beginsProgram(bytes)) return { name, file: new Blob([bytes]) };
  say({ stage: "decoding", bytes: bytes.length, size: 0 });
  const [started, size] = [performance.now(), bytes.length];
  const info = await untilAborted(core.open(name, bytes), ({ id }) => [id], signal);
  return { info, bytes: size, millis: performance.now() - started, checked: true, address };
}
