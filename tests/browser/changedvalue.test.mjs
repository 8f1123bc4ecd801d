/** "What changed" says in which region a load grew, and leads to that alone. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { pushStacks } from "./answers.mjs";
import { launch, openPage, url } from "./page.mjs";

const CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";
const MINUTES = 40;
const service = `regions-${Date.now().toString(36)}`;
const pods = `pods-${Date.now().toString(36)}`;
const begin = Math.floor(Date.now() / 60_000) * 60 - MINUTES * 60;

let browser;
before(async () => {
  browser = await launch();
  for (const region of ["ap", "eu", "us"]) {
    const stacks = (factor) => `main;encode ${300 * factor}\nmain;sort ${200 * factor}\n`;
    const pushes = Array.from({ length: MINUTES }, (_, i) =>
      pushStacks(`${service}{region=${region}}`, stacks(region === "ap" && i >= 20 ? 2 : 1), begin + i * 60),
    );
    await Promise.all(pushes);
  }
  for (const pod of ["a", "b", "c", "d"]) {
    // No two profiles are alike, as of real processes.
    const stacks = (i) => `main;encode ${300 + (i % 3)}\nmain;sort ${pod === "b" && i >= 20 ? 900 : 200 + (i % 4)}\n`;
    const pushes = Array.from({ length: MINUTES }, (_, i) =>
      pushStacks(`${pods}{pod=${pod}}`, stacks(i), begin + i * 60),
    );
    await Promise.all(pushes);
  }
});
after(() => browser?.close());

test("where a load grew is told, and leads to what it was there", async () => {
  const range = `from=${begin * 1000}&until=${(begin + MINUTES * 60) * 1000}`;
  const { page, at, end } = await openPage(browser, `/explore?s=${service}&t=${CPU}&${range}&p=changes`);
  const summary = at("changes-summary");
  await summary.filter({ hasText: "Nearly all of it is in region=ap." }).waitFor();
  assert.match(await summary.textContent(), /^\+33\.3 % cpu: /);
  await at("changes-where").click();
  await summary.filter({ hasText: "+100 % cpu" }).waitFor();
  assert.deepEqual(new URL(page.url()).searchParams.getAll("l"), ['region="ap"']);
  assert.equal(await at("changes-where").count(), 0, "one region alone has no other");
  await page.goto(`${url}/explore?s=${service}&t=${CPU}&${range}&p=changes&l=region!%3D"ap"`);
  await summary.filter({ hasText: "About the same" }).waitFor();
  await end();
});

test("a function that got slower in one process alone is told, with the process", async () => {
  const range = `from=${begin * 1000}&until=${(begin + MINUTES * 60) * 1000}`;
  const { at, end } = await openPage(browser, `/explore?s=${pods}&t=${CPU}&${range}&p=changes`);
  const summary = at("changes-summary");
  await summary.filter({ hasText: "Nearly all of it is in pod=b." }).waitFor();
  assert.match(await summary.textContent(), /nearly all of it in sort/);
  await end();
});
