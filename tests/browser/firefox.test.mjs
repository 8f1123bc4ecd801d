/** One walk through the viewer in Firefox: a file is opened, seen in each view, searched, exported and compared. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { KEYS, launchFirefox, until } from "./marionette.mjs";
import { amount, close, own, url } from "./page.mjs";
import { callTree, functionsOf, nodesOf, readPprof } from "./pprof.mjs";

const FILES = [own("checkout-1.8.2.pb.gz"), own("checkout-1.9.0.pb.gz")];
const CPU = 1;

let firefox;
before(async () => {
  firefox = await launchFirefox(process.env.FIREFOX);
});
after(() => firefox?.close());

test("a file is opened, seen in each view, searched, exported and compared", async () => {
  const { goto, evaluate, waitFor, click, type, press, folder } = firefox;
  const at = (id) => `[data-testid=${id}]`;
  const there = (selector) => waitFor((selector) => document.querySelector(selector) !== null, selector);
  const profile = readPprof(FILES[0]);
  const root = callTree(profile, CPU);

  await goto(`${url}/file`);
  await there(at("open-file"));
  await type(at("open-file"), FILES[0]);
  await there(`${at("frames")} tbody tr:first-child[data-total="${root.total}"]`);
  const drawn = await evaluate(() =>
    [...document.querySelectorAll("[data-testid=frames] tbody tr")].map(
      (row) => `${row.cells[1].textContent} ${row.querySelector("th").textContent} ${row.dataset.total}`,
    ),
  );
  const known = new Set(nodesOf(root).map(({ name, depth, total }) => `${depth} ${name} ${total}`));
  assert.ok(drawn.length > 20, `${drawn.length} frames`);
  assert.deepEqual(
    drawn.filter((frame) => !known.has(frame)),
    [],
    "drawn, but not in the profile",
  );
  const colours = await evaluate(() => {
    const canvas = document.querySelector("[data-testid=flame]");
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, 200);
    const found = new Set();
    for (let i = 0; i < data.length; i += 4) found.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
    return found.size;
  });
  assert.ok(colours > 20, `${colours} colours`);

  await evaluate(() => document.querySelector("[data-testid=flame]").focus());
  for (let i = 0; i < 3; i++) await press(KEYS.ArrowDown);
  await press(KEYS.Enter);
  await there(at("crumbs"));
  await press(KEYS.Home);
  await waitFor(() => document.querySelector("[data-testid=crumbs]") === null);

  await press("2");
  await there(`${at("row")} .name`);
  const [largest] = functionsOf(profile, CPU).sort((a, b) => b.self - a.self);
  const cells = await evaluate(() =>
    [...document.querySelector("[data-testid=row]").children].map((cell) => cell.textContent),
  );
  assert.equal(cells[0], largest.name);
  close(amount(cells[1]), largest.self, "self");

  await press("4");
  await there(at("treeitem"));
  await press("5");
  await click(at("row"));
  await there(`${at("callees")} tbody tr`);

  await press("1");
  await type(at("search"), "regexp");
  await waitFor(() => /frame/.test(document.querySelector("[data-testid=search-result]").textContent));

  await click(at("export"));
  await there(at("export-folded"));
  await click(at("export-folded"));
  // Firefox makes an empty file of that name first, and puts the ".part" in its place at the end.
  const saved = () =>
    readdirSync(folder).find((name) => name.endsWith(".folded.txt") && statSync(join(folder, name)).size > 0);
  const lines = readFileSync(join(folder, await until(saved, "the saved file")), "utf8")
    .trimEnd()
    .split("\n");
  const sum = lines.reduce((total, line) => total + Number(line.slice(line.lastIndexOf(" ") + 1)), 0);
  assert.equal(sum, root.total);

  await type(at("open-file"), FILES.join("\n"));
  await there(at("compare"));
  await click(at("compare"));
  await there(at("legend"));
});
