/** Bundles as places that pages ask: two as a comparison, what they are made of, and the static hosts that people have. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { host, makeBundle, openAt, pack } from "./bundles.mjs";
import { drawnFrames, launch, own } from "./page.mjs";
import { callTree, readPprof, together, writePprof } from "./pprof.mjs";
import { serve } from "./statichost.mjs";

const MINUTE = 60_000;
const PROFILES = 6;
/** The folder that has both bundles. */
const runs = own("runs");
/** Months apart, and of unlike length. Each has a service of its own beside the one that both have. */
const RUNS = {
  "run-17": { start: Date.UTC(2026, 1, 3, 12), step: 5 * MINUTE, render: 1, alone: "cart" },
  "run-18": { start: Date.UTC(2026, 8, 20, 9), step: 10 * MINUTE, render: 3, alone: "search" },
};
const names = Object.keys(RUNS);
const input = (run, service) => join(own(`in-${run}`), service);
const filesOf = (run) => Array.from({ length: PROFILES }, (_, i) => join(input(run, "checkout"), `${i}.pb`));

let browser;
before(async () => {
  pack();
  rmSync(runs, { recursive: true, force: true });
  mkdirSync(runs, { recursive: true });
  for (const [run, { start, step, render, alone }] of Object.entries(RUNS)) {
    rmSync(own(`in-${run}`), { recursive: true, force: true });
    for (const service of ["checkout", alone]) {
      mkdirSync(input(run, service), { recursive: true });
      for (let i = 0; i < PROFILES; i++) {
        const stacks = [`main;work;parse ${(i + 1) * 1e9}`, `main;work;render ${render * 1e9 + i}`];
        const bytes = timed(writePprof("cpu", "nanoseconds", stacks), start + i * step);
        writeFileSync(join(input(run, service), `${i}.pb`), bytes);
      }
    }
    makeBundle(join(runs, run), own(`in-${run}`));
  }
  browser = await launch();
});
after(() => browser?.close());

/** A profile that says when it began, and that it lasted ten seconds. */
function timed(profile, millis) {
  const field = (number, value) => [number << 3, ...varint(value)];
  return Buffer.concat([
    profile,
    Buffer.from([...field(9, BigInt(millis) * 1_000_000n), ...field(10, 10_000_000_000n)]),
  ]);
}

function varint(value) {
  const bytes = [];
  for (; value > 127n; value >>= 7n) bytes.push(Number(value & 127n) | 128);
  return [...bytes, Number(value)];
}

const total = (run) => callTree(together(...filesOf(run).map(readPprof)), 0).total;
const grouped = (number) => number.toLocaleString("en-US");
/** What the legend says of a comparison's totals, once it says it in amounts. */
async function compared(page, base, other) {
  await page.getByTestId("measure").selectOption("amount");
  await page.waitForFunction(
    (wanted) => document.querySelector("[data-testid=diff-totals]")?.title.startsWith(wanted),
    `${grouped(base)} nanoseconds → ${grouped(other)} nanoseconds`,
  );
}

test("two bundles of different times are compared, each with all of its own", async () => {
  const { port, close } = await serve(() => runs, "/ci/");
  const { page, at, errors, ...end } = await openAt(browser, `http://127.0.0.1:${port}/ci/run-17/`);
  await at("compare-bundle").click();
  await at("other-bundle").fill("../run-19");
  await page.keyboard.press("Enter");
  await page.getByText("No bundle found").waitFor();
  await at("other-bundle").fill("../run-18");
  await page.keyboard.press("Enter");
  const [before, after] = names.map(total);
  assert.notEqual(before, after);
  await at("facts")
    .filter({ hasText: /6 profiles against 6 profiles .* read in \d+ requests? / })
    .waitFor();
  await compared(page, before, after);
  const shown = new URL(page.url());
  assert.deepEqual(
    ["s", "bucket", "bucket2", "from"].map((name) => shown.searchParams.get(name)),
    ["checkout", null, "/ci/run-18/bundle.json", null],
  );
  assert.deepEqual([await at("place-base").textContent(), await at("place-other").textContent()], names);
  // Only what both have is offered.
  assert.deepEqual(await at("service").locator("option").allTextContents(), ["checkout"]);
  // Each timeline is over its own time: neither is a sliver.
  for (const [side, { start }] of [
    ["base", RUNS["run-17"]],
    ["other", RUNS["run-18"]],
  ]) {
    const slider = at(`timeline-${side}`).getByRole("slider");
    const label = await slider.getAttribute("aria-label");
    const day = new Date(start).toLocaleDateString("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
    const last = Number(await slider.getAttribute("aria-valuemax"));
    assert.ok(label.includes(day), `${label} has ${day}`);
    assert.ok(last >= PROFILES - 1, `${last} steps`);
  }

  await at("swap").click();
  await compared(page, after, before);
  assert.deepEqual([await at("place-base").textContent(), await at("place-other").textContent()], names.toReversed());
  await page.goBack();
  await compared(page, before, after);

  await at("presets").click();
  await page.getByText("Show only the comparison side").click();
  await drawnFrames(page, after);
  assert.deepEqual(
    ["bucket", "bucket2"].map((name) => new URL(page.url()).searchParams.get(name)),
    ["/ci/run-18/bundle.json", "bundle.json"],
  );
  await at("compare").click();
  await compared(page, after, before);
  assert.deepEqual(errors, []);
  await end.close();
  await close();
});

test("a service that one of two bundles lacks is said to be missing there", async () => {
  const { port, close } = await serve(() => runs, "/ci/");
  const type = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";
  const query = `s=cart&t=${type}&bucket2=../run-18/bundle.json`;
  const { page, ...end } = await openAt(browser, `http://127.0.0.1:${port}/ci/run-17/diff.html?${query}`);
  await page.getByText("run-18 has no service cart in this range. It has checkout, search.").waitFor();
  await page.getByText("Show only the baseline side").click();
  await page.waitForURL(/run-17\/explore\.html/);
  await end.close();
  await close();
});

test("the first page says what a bundle is made of, as far as it says so itself", async () => {
  const described = join(runs, "run-18", "bundle.json");
  const { digest, made } = JSON.parse(readFileSync(described, "utf8"));
  const said = { ...made, selector: '{team="a"}', commit: "abc1234", when: "2026-11-23T10:00:00Z", files: "many" };
  const cases = [
    [(bytes) => bytes, `Bundle ${digest.slice(0, 8)}… · 2026-09-20 09:00 to 09:50 UTC · ${made.files} files`],
    [
      (bytes) => Buffer.from(JSON.stringify({ ...JSON.parse(bytes), made: said })),
      `Bundle ${digest.slice(0, 8)}… · {team="a"} · 2026-09-20 09:00 to 09:50 UTC · commit abc1234 · exported 2026-11-23 10:00 UTC`,
    ],
    [(bytes) => Buffer.from(JSON.stringify({ ...JSON.parse(bytes), digest: 3, made: [] })), "Bundle"],
  ];
  for (const [change, line] of cases) {
    const { address, close } = await host(join(runs, "run-18"), ({ name }, bytes) => ({
      bytes: name === "/bundle.json" ? change(bytes) : bytes,
      ranges: true,
    }));
    const { at, errors, ...end } = await openAt(browser, address);
    await at("made").filter({ hasText: "Bundle" }).waitFor();
    assert.equal(await at("made").textContent(), line);
    assert.deepEqual(errors, []);
    await end.close();
    await close();
  }
});

for (const ranges of [true, false]) {
  test(`the notes ${ranges ? "are none of" : "name"} a host ${ranges ? "with" : "without"} ranges`, async () => {
    const { address, close } = await host(join(runs, "run-17"), (_, bytes) => ({ bytes, ranges }));
    const { page, at, ...end } = await openAt(browser, `${address}explore.html?s=checkout`);
    await drawnFrames(page, total("run-17"));
    const notes = page.locator(".foot .warnings li");
    const texts = ranges ? [] : ["This host doesn't support range requests; whole objects were read."];
    assert.deepEqual(await notes.allTextContents(), texts);
    assert.match(await at("facts").textContent(), /read in \d+ requests?/);
    await end.close();
    await close();
  });
}

/** A port that is free. */
async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

/** A program that serves the folder of the bundles, and answers by now. */
async function started(command, words) {
  const child = spawn(command, words, { cwd: runs, stdio: "ignore" });
  const failed = once(child, "error").then(([error]) => assert.fail(`${command}: ${error.message}`));
  const ended = once(child, "exit").then(([code]) => assert.fail(`${command} has ended with ${code}`));
  const stop = async () => {
    ended.catch(() => {});
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  };
  const answers = async (address) => {
    for (;;) {
      if (
        await fetch(address).then(
          ({ ok }) => ok,
          () => false,
        )
      )
        return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  return { stop, ready: (address) => Promise.race([answers(address), failed, ended]) };
}

const vite = fileURLToPath(new URL("../../site/node_modules/vite/bin/vite.js", import.meta.url));
const HOSTS = {
  "python3 -m http.server": (port) => ["python3", ["-m", "http.server", "--bind", "127.0.0.1", String(port)]],
  "vite preview": (port) => [
    process.execPath,
    [vite, "preview", "--outDir", runs, "--host", "127.0.0.1", "--port", String(port), "--strictPort"],
  ],
};
for (const [name, program] of Object.entries(HOSTS)) {
  test(`${name} serves a bundle below a path, and its pages answer`, async () => {
    const port = await freePort();
    const { stop, ready } = await started(...program(port));
    try {
      await answersAt(`http://127.0.0.1:${port}/run-18/`, ready);
    } finally {
      await stop();
    }
  });
}

test("a few lines of Node serve a bundle below a path, and its pages answer", async () => {
  const { port, close } = await serve(() => runs, "/ci/");
  await answersAt(`http://127.0.0.1:${port}/ci/run-18/`, async () => {});
  await close();
});

async function answersAt(address, ready) {
  await ready(`${address}bundle.json`);
  const { page, at, errors, ...end } = await openAt(browser, address);
  const card = at("service-card").filter({ hasText: "checkout" });
  await card.click();
  await drawnFrames(page, total("run-18"));
  // The page by its own address, as a link has it.
  await page.reload();
  await drawnFrames(page, total("run-18"));
  assert.deepEqual(errors, []);
  await end.close();
}
