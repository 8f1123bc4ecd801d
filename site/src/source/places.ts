/** Where the file of a function is in its repository. Profiles know files as the compiler or the interpreter saw them. */
import type { Mapping } from "./mapping.ts";

/** Which code a service runs, as its labels say. */
export interface Code {
  /** Address of the repository. */
  repository: string;
  /** A commit, tag or branch. */
  ref: string;
  /** The folder in the repository that its paths are below; empty for all of it. */
  root: string;
}

/** A file in a repository. */
export interface Place {
  repository: string;
  ref: string;
  path: string;
}

export interface Frame {
  file: string;
  name: string;
}

/** Places asked at most, as each is a request. */
const MOST = 6;

/** What others have written: in none of a service's own folders, so only a mapping knows where it is. */
const FOREIGN =
  /(^|\/)(site-packages|dist-packages|node_modules|gems|\.cargo|rustc|vendor)\/|^\/usr\/(lib|share|local\/(lib|go))\//;

/** A module of Go as its cache or `-trimpath` has it: `github.com/acme/lib@v1.2.3/file.go`. */
const GO_MODULE = /(?:^|\/pkg\/mod\/)(github\.com\/[^/@]+\/[^/@]+|golang\.org\/x\/[^/@]+)((?:\/[^@]+)?)@([^/]+)\/(.+)$/;

const JVM = { java: "java", kt: "kotlin", scala: "scala", groovy: "groovy" };

/** Places where a file may be, the likeliest first. */
export function placesOf(frame: Frame, code: Code, mappings: Mapping[]): Place[] {
  const file = frame.file.replace(/\\/g, "/").replace(/^[A-Za-z]:/, "");
  const mapped = bestMapping({ ...frame, file }, mappings);
  if (mapped) return [mapped.of(code)];
  const module = GO_MODULE.exec(file);
  if (module) return [goModule(module)];
  const own = (path: string): Place => ({ repository: code.repository, ref: code.ref, path: join(code.root, path) });
  const folders = folderOfClass(frame.name);
  const language = JVM[file.slice(file.lastIndexOf(".") + 1) as keyof typeof JVM];
  if (language && !file.includes("/")) {
    const inPackage = join(folders, file);
    return [own(join(`src/main/${language}`, inPackage)), own(inPackage)];
  }
  if (FOREIGN.test(file)) return [];
  return ownPaths(file, code.repository).slice(0, MOST).map(own);
}

/** What follows the repository's own name or its address, then ever shorter ends, but for those that any folder could have. */
function ownPaths(file: string, repository: string): string[] {
  const segments = file.split("/").filter((segment) => segment !== "" && segment !== ".");
  if (segments.includes("..")) return [];
  const name =
    repository
      .replace(/\/$/, "")
      .replace(/\.git$/, "")
      .split("/")
      .at(-1) ?? "";
  const after = segments.lastIndexOf(name);
  const known = after >= 0 && after < segments.length - 1 ? [segments.slice(after + 1).join("/")] : [];
  // Go's own packages, and modules without a dot, as `-trimpath` has them: errors/errors.go is no errors.go.
  if (/^[^/.]+\/.*\.go$/.test(file)) return [...new Set([...known, file])];
  const ends = segments.map((_, i) => segments.slice(i)).filter((end, i) => end.length > 1 || i < 2);
  return [...new Set([...known, ...ends.map((end) => end.join("/"))])];
}

/** A version of a module is its tag, one of the future a commit: `v0.0.0-20240101120000-0123456789ab`. */
function goModule([, module, below, version, path]: RegExpExecArray): Place {
  const plain = (text: string) => text.replace(/!([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const commit = /-(?:0\.)?\d{14}-([0-9a-f]{12})$/.exec(version)?.[1];
  const tag = version.replace(/\+incompatible$/, "");
  const repository = `https://${plain(module).replace(/^golang\.org\/x\//, "github.com/golang/")}`;
  // The second major version and later are no folder, mostly.
  const folder = below.replace(/^\//, "").replace(/(^|\/)v\d+$/, "");
  const ref = commit ?? (folder ? `${folder}/${tag}` : tag);
  return { repository, ref, path: join(folder, plain(path)) };
}

/** `org.example.Rides$Order.total` stands in `org/example`. */
export function folderOfClass(name: string): string {
  const segments = name.replace(/\(.*/s, "").replace(/\//g, ".").split(".");
  const ofClass = segments.findIndex((segment) => /^[A-Z]/.test(segment));
  return segments.slice(0, ofClass < 0 ? Math.max(0, segments.length - 2) : ofClass).join("/");
}

interface Mapped {
  length: number;
  of: (code: Code) => Place;
}

/** The mapping with the longest prefix: of paths what follows it, of functions the file of the class. */
function bestMapping({ file, name }: Frame, mappings: Mapping[]): Mapped | null {
  let best: Mapped | null = null;
  const asPath = (text: string) => text.replace(/\./g, "/");
  const take = (length: number, { repository, ref, path }: Mapping, rest: string) => {
    if (best && best.length >= length) return;
    const of = (code: Code): Place =>
      repository
        ? { repository, ref: ref || "HEAD", path: join(path, rest) }
        : { repository: code.repository, ref: code.ref, path: join(code.root, path, rest) };
    best = { length, of };
  };
  for (const mapping of mappings) {
    for (const prefix of mapping.paths)
      if (file.startsWith(prefix)) take(prefix.length, mapping, file.slice(prefix.length));
    for (const prefix of mapping.functions)
      if (asPath(name).startsWith(asPath(prefix)))
        take(prefix.length, mapping, file.includes("/") ? file : join(folderOfClass(name), file));
  }
  return best;
}

export function join(...parts: string[]): string {
  const segments = parts.flatMap((part) => part.split("/"));
  return segments.filter((segment) => segment !== "" && segment !== ".").join("/");
}

/** The page of a place at its host, where that is known; null elsewhere. */
export function pageOf({ repository, ref, path }: Place, line: number): string | null {
  const base = repository.replace(/\/$/, "").replace(/\.git$/, "");
  const found = /^https:\/\/([^/]+)\/[^/]+\/[^/]+/.exec(base);
  if (!found) return null;
  const kind = found[1] === "github.com" ? "blob" : /(^|\.)gitlab\./.test(found[1]) ? "-/blob" : null;
  const encoded = [ref, path].map((text) => text.split("/").map(encodeURIComponent).join("/"));
  return kind && `${base}/${kind}/${encoded.join("/")}${line > 0 ? `#L${line}` : ""}`;
}
