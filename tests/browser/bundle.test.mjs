/** A folder of profiles as a bundle: the pages answer from its files alone, on static hosts of several kinds. */
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { contents, host, makeBundle, openAt, pack, pilotlightBundle } from "./bundles.mjs";
import { drawnFrames, launch, own } from "./page.mjs";
import { callTree, readPprof, together } from "./pprof.mjs";

const FILES = ["checkout-1.8.2.pb.gz", "checkout-1.9.0.pb.gz"];
const profiles = own("bundled-profiles");
const bundle = own("bundle");

let browser;
before(async () => {
  pack();
  rmSync(profiles, { recursive: true, force: true });
  for (const file of FILES) {
    const version = `version=${/\d.*\d/.exec(file)[0]}`;
    mkdirSync(join(profiles, "checkout", version), { recursive: true });
    copyFileSync(own(file), join(profiles, "checkout", version, "cpu.pb.gz"));
  }
  makeBundle(bundle, profiles);
  browser = await launch();
});
after(() => browser?.close());

const isObject = (name) => name.endsWith(".blk");
const both = () => together(...FILES.map((file) => readPprof(own(file))));
const cpu = ({ types }) => types.findIndex(({ type }) => type === "cpu");

test("the same profiles give the same bundle, byte for byte", () => {
  const again = own("bundle-again");
  makeBundle(again, profiles);
  assert.deepEqual(contents(again), contents(bundle));
  const { version, made, catalog } = JSON.parse(readFileSync(join(bundle, "bundle.json"), "utf8"));
  assert.deepEqual([version, made.files, catalog.length], [1, 2, 1]);
});

for (const ranges of [true, false]) {
  test(`the pages answer from a host ${ranges ? "with" : "without"} ranges, below a path`, async () => {
    const { address, asked, close } = await host(bundle, (_, bytes) => ({ bytes, ranges }));
    const { page, at, errors, ...end } = await openAt(browser, address);
    const card = at("service-card").filter({ hasText: "checkout" });
    await card.waitFor();
    await card.click();
    const profile = both();
    const total = callTree(profile, cpu(profile)).total;
    const frames = await drawnFrames(page, total);
    assert.ok(frames.length > 3);
    assert.match(page.url(), /explore\.html\?s=checkout/);
    assert.ok(asked.some(isObject), "objects were read");
    assert.deepEqual(errors, []);
    await end.close();
    await close();
  });
}

test("types and values of labels are asked of the bundle", async () => {
  const { address, close } = await host(bundle, (_, bytes) => ({ bytes, ranges: true }));
  const { page, at, errors, ...end } = await openAt(browser, `${address}explore.html?s=checkout&p=labels&by=version`);
  await at("value-row").nth(1).waitFor();
  const rows = await at("value-row").evaluateAll((rows) =>
    rows.map((row) => [
      row.dataset.value,
      row.querySelector("[data-testid=value-total]").title.replace(/\D/g, ""),
      row.querySelector("[data-testid=value-profiles]").textContent,
    ]),
  );
  const totals = FILES.map((file) => {
    const profile = readPprof(own(file));
    return [/\d.*\d/.exec(file)[0], String(callTree(profile, cpu(profile)).total), "1"];
  });
  assert.deepEqual(rows.sort(), totals.sort());
  // Nothing marks versions where each value is a question of its own.
  assert.equal(await at("timeline-mark").count(), 0);
  await at("panel-types").click();
  await at("type-card").first().waitFor();
  const total = await at("type-card")
    .filter({ hasText: /^cpu\d/ })
    .getByTestId("type-total")
    .getAttribute("title");
  assert.equal(total.replace(/\D/g, ""), String(totals.reduce((sum, [, value]) => sum + Number(value), 0)));
  assert.deepEqual(errors, []);
  await end.close();
  await close();
});

test("the timeline is split by a label", async () => {
  const { address, close } = await host(bundle, (_, bytes) => ({ bytes, ranges: true }));
  const { page, at, errors, ...end } = await openAt(browser, `${address}explore.html?s=checkout`);
  await at("split").selectOption("version");
  await page.waitForURL(/[?&]split=version/);
  await at("split-value").nth(1).waitFor();
  const totals = FILES.map((file) => {
    const profile = readPprof(own(file));
    return { version: /\d.*\d/.exec(file)[0], total: callTree(profile, cpu(profile)).total };
  });
  const all = totals.reduce((sum, { total }) => sum + total, 0);
  const words = await at("split-legend").locator("li").allTextContents();
  assert.deepEqual(
    words.map((text) => text.trim()).sort(),
    totals.map(({ version, total }) => `${version} ${Number(((100 * total) / all).toFixed(1))} %`).sort(),
  );
  assert.deepEqual(errors, []);
  await end.close();
  await close();
});

test("a label of the path filters", async () => {
  const { address, close } = await host(bundle, (_, bytes) => ({ bytes, ranges: true }));
  const filter = encodeURIComponent('version="1.9.0"');
  const { page, errors, ...end } = await openAt(browser, `${address}explore.html?s=checkout&l=${filter}`);
  const profile = readPprof(own(FILES[1]));
  const frames = await drawnFrames(page, callTree(profile, cpu(profile)).total);
  assert.ok(frames.length > 3);
  assert.deepEqual(errors, []);
  await end.close();
  await close();
});

test("an object that is cut off, changed or gone is told of, and never drawn", async () => {
  const flipped = (bytes) => {
    const changed = Buffer.from(bytes);
    for (let at = 100; at < changed.length; at += 50) changed[at] ^= 0xff;
    return changed;
  };
  const cases = [
    [(bytes) => ({ bytes: bytes.subarray(0, bytes.length - 9), ranges: true }), "doesn't match its catalog entry"],
    [(bytes) => ({ bytes: flipped(bytes), ranges: true }), "is damaged"],
    [() => ({}), "although its catalog lists it"],
  ];
  for (const [answer, says] of cases) {
    const { address, close } = await host(bundle, ({ name }, bytes) =>
      isObject(name) ? answer(bytes) : { bytes, ranges: true },
    );
    const { page, ...end } = await openAt(browser, address);
    await page.getByText(says).first().waitFor();
    await end.close();
    await close();
  }
});

test("what is no folder of profiles is refused, and nothing is left behind", () => {
  const bad = own("bundled-nothing");
  rmSync(bad, { recursive: true, force: true });
  mkdirSync(bad);
  const run = (...words) => {
    try {
      pilotlightBundle(...words);
      return "made";
    } catch (error) {
      return error.stderr.toString();
    }
  };
  assert.match(run("--out", own("none"), bad), /no files in/);
  writeFileSync(join(bad, "notes.txt"), "buy milk\n");
  assert.match(run("--out", own("none"), bad), /notes\.txt: the body is text in an unknown format/);
  assert.match(run("--out", bundle, profiles), /already exists/);
  assert.match(run(), /give exactly one folder/);
});
