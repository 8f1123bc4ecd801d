/**
 * Files that were made to break readers: where the fuzzer starts, some of what it has kept, and a damaged copy of each. Each
 * gives a picture or a message, and meanwhile the page answers.
 */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { HANG_MILLIS, longTasks, watchTasks } from "./longtasks.mjs";
import { launch, openPage } from "./page.mjs";

const SEEDS = fileURLToPath(new URL("../fuzz/seeds", import.meta.url));
const KEPT = fileURLToPath(new URL("../../target/xtask/fuzz", import.meta.url));
/** Of what the fuzzer has kept: as many inputs of each target, and all that once crashed. */
const KEPT_OF_EACH = 2;
/** Pages are renewed, so that what was opened does not add up. */
const PER_PAGE = 40;

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

function filesIn(folder) {
  if (!existsSync(folder)) return [];
  const paths = readdirSync(folder).map((name) => join(folder, name));
  return paths.filter((path) => statSync(path).isFile()).sort();
}

/** `count` of a list, evenly spread. */
const some = (list, count) =>
  list.filter((_, i) => Math.floor((i * count) / list.length) !== Math.floor(((i - 1) * count) / list.length));

/** Numbers that look random and depend on a text alone. */
function randomOf(text) {
  let state = [...text].reduce((hash, letter) => (Math.imul(hash, 31) + letter.charCodeAt(0)) | 0, 7);
  return (most) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.floor((state / 0x80000000) * most);
  };
}

/** A file, and the same cut off or with some bits turned over. */
function damaged({ name, bytes, path }, i) {
  const next = randomOf(name);
  const cut = i % 2 === 0;
  const copy = Buffer.from(bytes.subarray(0, cut ? next(bytes.length) : bytes.length));
  if (!cut) for (let n = 0; n < 1 + copy.length / 500; n++) copy[next(copy.length)] ^= 1 << next(8);
  return [
    { name, bytes, path },
    { name: `${name}-${cut ? "cut" : "turned"}`, bytes: copy, path },
  ];
}

function inputs() {
  const found = [];
  for (const target of readdirSync(SEEDS)) {
    for (const path of filesIn(join(SEEDS, target))) found.push({ path, name: `${target}-${found.length}` });
    const kept = some(filesIn(join(KEPT, target, "corpus")), KEPT_OF_EACH);
    for (const path of [...kept, ...filesIn(join(KEPT, target, "crashes"))])
      found.push({ path, name: `${target}-${found.length}` });
  }
  return found.map(({ path, name }) => ({ name, bytes: readFileSync(path), path })).flatMap(damaged);
}

/** Opens a file, and tells what the page makes of it. */
async function outcome({ page, at }, { name, bytes }) {
  await at("open-file").setInputFiles({ name, mimeType: "application/octet-stream", buffer: bytes });
  const answer = await page.waitForFunction(
    (name) => {
      const all = (selector) => [...document.querySelectorAll(selector)];
      if (all("[data-testid=loading]").length > 0) return null;
      const problem = all(".failures [data-testid=problem]").find((one) => one.textContent.includes(name));
      if (problem) return problem.textContent;
      const opened = all("[data-testid=files] label").some(
        (label) => label.title.startsWith(`${name}:`) && label.querySelector("input").checked,
      );
      if (!opened) return null;
      // What has no value is opened, too, and says so.
      const seen = all("[data-testid=frames] tbody tr, [data-testid=nothing], .stage .note")[0];
      return seen ? `opened: ${seen.textContent}` : null;
    },
    name,
    { timeout: 60_000 },
  );
  return answer.jsonValue();
}

test("hostile files give a picture or a message, and the page goes on", async (t) => {
  const files = inputs();
  let pictures = 0;
  let longest = 0;
  for (let from = 0; from < files.length; from += PER_PAGE) {
    const opened = await openPage(browser, "/file");
    await opened.at("dropzone").waitFor({ state: "attached" });
    await watchTasks(opened.page);
    for (const file of files.slice(from, from + PER_PAGE)) {
      const said = await outcome(opened, file).catch((failure) =>
        assert.fail(`${file.name} of ${file.path}: ${failure.message}`),
      );
      assert.doesNotMatch(said, /page stopped|went wrong|report a bug/, file.name);
      if (said.startsWith("opened: ")) pictures++;
    }
    longest = Math.max(longest, ...(await longTasks(opened.page)));
    await opened.end();
  }
  t.diagnostic(`${files.length} files, ${pictures} of them drawn; the longest task took ${longest} ms`);
  assert.ok(longest < HANG_MILLIS, `the page hung for ${longest} ms`);
  // A folder that was moved would make this test pass on nothing.
  assert.ok(files.length > 150 && pictures > 20, `${files.length} files, ${pictures} drawn`);
});
