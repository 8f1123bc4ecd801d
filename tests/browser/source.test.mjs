/** Source code beside lines, from the repository that the labels of a service name. The host of the code is made up. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { push } from "./answers.mjs";
import { launch, openPage } from "./page.mjs";
import { writePprof } from "./pprof.mjs";

const CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";
const TICK = 10_000_000;
const minute = 60_000;
const start = Math.floor(Date.now() / minute) * minute - 40 * minute;
const name = (of) => `source.${of}.${start}`;
const range = { from: start, until: start + 30 * minute };
const REPOSITORY = "https://github.com/acme/shop";
const [OLD, NEW] = ["1111111111111111111111111111111111111111", "2222222222222222222222222222222222222222"];
const MODULE = "github.com/acme/shop/internal/orders/rules.go";
const FILES = {
  [`${OLD} internal/orders/rules.go`]: ["package orders", "", "func Match() {", "\tcompile()", "}"],
  [`${NEW} services/cart/lib/cart.py`]: ["def add():", "    pass"],
  [`${NEW} services/cart/.pyroscope.yaml`]: [
    "version: v1",
    "source_code:",
    "  mappings:",
    "    - path: [{ prefix: /opt/cart }]",
    "      language: python",
    "      source: { local: { path: lib } }",
  ],
};
const path = (of, more = {}) =>
  `/explore?${new URLSearchParams({ s: name(of), t: CPU, from: range.from, until: range.until, v: "lines", ...more })}`;

/** Stands for the worker's call, which has tests of its own, and tells what was asked. */
async function withFiles(page, files = FILES) {
  const asked = [];
  await page.route("**/api/v1/source?*", (route) => {
    const params = new URL(route.request().url()).searchParams;
    assert.equal(params.get("repository"), REPOSITORY);
    const file = `${params.get("ref")} ${params.get("path")}`;
    asked.push(file);
    if (files[file]) return route.fulfill({ contentType: "text/plain", body: `${files[file].join("\n")}\n` });
    const says = JSON.stringify({ code: "not_found", message: `${params.get("path")} not found` });
    return route.fulfill({ status: 404, contentType: "application/json", body: says });
  });
  return asked;
}

async function pushed(of, labels, lines, at) {
  const all = Object.entries(labels).map(([label, value]) => `${label}=${value}`);
  await push(`${name(of)}{${all.join(",")}}`, writePprof("cpu", "nanoseconds", lines), (start + at * minute) / 1000);
}

let browser;
before(async () => {
  browser = await launch();
  const shop = { service_repository: REPOSITORY, service_git_ref: OLD };
  const lines = [`main;orders.Match@${MODULE}:4 ${70 * TICK}`, `main;orders.Match@${MODULE}:3 ${30 * TICK}`];
  await pushed("one", shop, lines, 0);
  await pushed("two", shop, lines, 0);
  await pushed("two", { ...shop, service_git_ref: NEW }, [`main;orders.Match@${MODULE}:9 ${TICK}`], 1);
  const cart = { service_repository: REPOSITORY, service_git_ref: NEW, service_root_path: "services/cart" };
  await pushed("mapped", cart, [`main;add@/opt/cart/cart.py:2 ${5 * TICK}`], 0);
  await pushed("none", {}, lines, 0);
});
after(() => browser?.close());

/** A page whose function is selected by a click in the list. */
async function opened(of, chosen, files = FILES) {
  const { page, ...rest } = await openPage(browser, "/file");
  const asked = await withFiles(page, files);
  await page.goto(new URL(path(of), page.url()).href);
  await page.getByRole("row", { name: chosen }).first().click();
  return { page, asked, ...rest };
}
const shown = (at) =>
  at("line").evaluateAll((rows) =>
    rows.map((row) => [Number(row.dataset.line), row.querySelector(".line-text").textContent]),
  );

test("the code of a commit stands beside what its lines cost", async () => {
  const { page, at, asked, end } = await opened("one", "orders.Match");
  await at("source-origin").waitFor();
  assert.deepEqual(
    await shown(at),
    FILES[`${OLD} internal/orders/rules.go`].map((text, i) => [i + 1, text]),
  );
  const row = page.locator('[data-testid=line][data-line="4"]');
  assert.match(await row.textContent(), /700 ms/);
  const link = await at("source-page").getAttribute("href");
  assert.match(link, new RegExp(`^${REPOSITORY}/blob/${OLD}/internal/orders/rules\\.go#L\\d$`));
  assert.equal(asked.at(-1), `${OLD} internal/orders/rules.go`);
  await page.screenshot({ path: `${process.env.PILOTLIGHT_SHOTS}/source.png` });
  await end(/404/);
});

test("of several commits one is chosen, as a filter", async () => {
  const { page, at, asked, end } = await opened("two", "orders.Match");
  await at("source-commits").waitFor();
  assert.deepEqual(asked, [], "nothing is fetched before it is known for which");
  await at("source-commits").selectOption(OLD);
  await at("source-origin").waitFor();
  assert.equal(new URL(page.url()).searchParams.get("l"), `service_git_ref="${OLD}"`);
  await page.locator('[data-testid=line][data-line="4"]', { hasText: "compile()" }).waitFor();
  await end(/404/);
});

test("a mapping file says where files are", async () => {
  const { page, at, asked, end } = await opened("mapped", "add");
  await page.locator('[data-testid=line][data-line="2"]', { hasText: "pass" }).waitFor();
  assert.deepEqual(asked, [`${NEW} services/cart/.pyroscope.yaml`, `${NEW} services/cart/lib/cart.py`]);
  assert.match(await at("source-origin").textContent(), /services\/cart\/lib\/cart\.py at 2222222222/);
  await end();
});

test("what is not there is told with what was looked for", async () => {
  const { at, end } = await opened("one", "orders.Match", {});
  await at("source-origin").waitFor();
  assert.match(await at("source-origin").textContent(), /^Not found in .*shop at 1{10}: internal\/orders\/rules\.go, /);
  assert.equal((await shown(at)).length, 2, "the lines that cost something");
  await end(/404/);

  const none = await opened("none", "orders.Match");
  await none.at("line").first().waitFor();
  assert.deepEqual(none.asked, []);
  assert.equal(await none.at("source-origin").count(), 0);
  await none.end();
});
