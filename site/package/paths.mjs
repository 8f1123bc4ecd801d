/** What is in a folder of profiles, and what its paths say. */
import { readdirSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";

/** What names of profiles end with, compressed or not. */
const ENDINGS = /(\.(pb|pprof|prof|jfr|json|folded|collapsed|txt))?(\.(gz|zst|lz4))?$/;

/** All files below a folder, also behind links, in an order that is the same everywhere; nothing that begins with a dot. */
export function filesIn(folder, above = []) {
  const real = realpathSync(folder);
  // A link may lead to a folder that it is in.
  if (above.includes(real)) return [];
  const names = readdirSync(folder).filter((name) => !name.startsWith("."));
  const found = names.flatMap((name) => {
    const path = join(folder, name);
    const stat = statSync(path);
    return stat.isDirectory() ? filesIn(path, [...above, real]) : stat.isFile() ? [path] : [];
  });
  return found.sort();
}

/** What the path says. */
export function labelsOfPath(path, service) {
  const labels = {};
  const folders = path.split("/");
  const file = folders.pop() ?? "";
  const stem = file.split(".")[0];
  const plain = [];
  for (const part of folders) {
    const found = pairsOf(part);
    if (found) Object.assign(labels, found);
    else plain.push(part);
  }
  // Values may have dots, which the endings of files are not part of.
  Object.assign(labels, pairsOf(file.replace(ENDINGS, "")));
  const named = labels.service_name ?? plain[0] ?? service ?? stem;
  return { ...labels, file: stem, service_name: named };
}

/** Service and labels as `/ingest` has them. There a comma ends a value, and nothing can be quoted. */
export function nameOf(service, labels) {
  const wrong = Object.entries(labels).find(([, value]) => value.includes(","));
  if (wrong) throw new Error(`the label ${wrong[0]} is ${JSON.stringify(wrong[1])}: label values can't contain commas`);
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  return pairs.length === 0 ? service : `${service}{${pairs.join(",")}}`;
}

/** The labels of `key=value,key=value`; null of what is none. */
function pairsOf(part) {
  const pairs = part.split(",").map((pair) => pair.split("="));
  const whole = pairs.every(([key, value, ...more]) => key && value && more.length === 0);
  return whole ? Object.fromEntries(pairs) : null;
}
