/** A server that is down, or does not want to answer: said, with what to try, and nothing that was there is lost. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { tree } from "./answers.mjs";
import { CLOCK_TIME } from "./clocktime.mjs";
import { drawnFrames, fetched, launch, openPage, url } from "./page.mjs";

const CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";
const EXPLORE = `/explore?s=checkout&t=${CPU}`;
const FAILED = /ERR_FAILED|status of \d+/;

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

/** A page whose calls of the API are answered by `answer` from the start; `restore` lets them through. */
async function openWith(path, answer) {
  const context = await browser.newContext({
    serviceWorkers: "block",
    viewport: { width: 1400, height: 900 },
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  await page.route("**/api/v1/**", answer);
  await page.goto(url + path);
  const restore = () => page.unroute("**/api/v1/**");
  return { page, at: (id) => page.getByTestId(id), restore, end: () => context.close() };
}

const drawn = ({ at }) => at("frames").locator("tbody tr").nth(3).waitFor({ state: "attached" });

test("the front page of a server that is down says so, and goes on when it is back", async () => {
  const { page, at, restore, end } = await openWith("/", (route) => route.abort());
  await at("problem").waitFor();
  assert.match(await at("problem").textContent(), /Could not list the services.*did not answer/s);
  assert.equal(await page.locator(".home.alone").count(), 0, "this is no bare file viewer");
  await at("range").waitFor();
  await restore();
  await at("problem").getByRole("button", { name: "Try again" }).click();
  await at("service-card").first().waitFor();
  assert.equal(await at("problem").count(), 0);
  await end();
});

for (const [what, answer] of [
  ["a path that is not there", { status: 404, contentType: "text/plain", body: "Not Found" }],
  ["its index page for any path", { status: 200, contentType: "text/html", body: "<!doctype html><title>x</title>" }],
]) {
  test(`a static host that answers ${what} is the viewer alone`, async () => {
    const { page, at, end } = await openWith("/", (route) => route.fulfill(answer));
    await page.locator(".home.alone").waitFor();
    await at("dropzone").waitFor();
    assert.equal(await at("problem").count(), 0);
    assert.equal(await at("range").count(), 0);
    await end();
  });
}

test("an error of the server is no missing server", async () => {
  const { page, at, end } = await openWith("/", (route) =>
    route.fulfill({ status: 502, contentType: "text/html", body: "<h1>Bad gateway</h1>" }),
  );
  await at("problem").waitFor();
  assert.match(await at("problem").textContent(), /internal error/);
  assert.equal(await page.locator(".home.alone").count(), 0);
  await end();
});

test("a refresh while the server is down keeps the picture, and says how old it is", async () => {
  const opened = await openPage(browser, EXPLORE);
  const { page, at } = opened;
  await drawn(opened);
  await at("timeline").locator("canvas").waitFor();
  await page.route("**/api/v1/**", (route) => route.abort());
  await at("refresh").click();
  await at("stale").waitFor();
  assert.match(
    await at("stale").textContent(),
    new RegExp(`Could not read the profile\\. The server did not answer\\. Showing data from ${CLOCK_TIME}`),
  );
  assert.ok((await at("frames").locator("tbody tr").count()) > 3, "the picture stays");
  await at("timeline-problem").waitFor();
  assert.match(await at("timeline-problem").textContent(), /Could not read the timeline\. The server did not answer/);
  await at("timeline").locator("canvas").waitFor();
  // Another question is not answered by the old picture.
  await at("filters-add").click();
  await page.locator(".add-filter .menu-list button").first().click();
  await at("problem").waitFor();
  assert.equal(await at("frames").count(), 0);
  await page.unroute("**/api/v1/**");
  await at("problem").getByRole("button", { name: "Try again" }).click();
  await drawn(opened);
  assert.equal((await at("timeline-problem").count()) + (await at("stale").count()), 0);
  await opened.end(FAILED);
});

test("the front page keeps its cards while the server is down", async () => {
  const { page, at, end } = await openPage(browser, "/");
  await at("service-card").first().waitFor();
  await page.route("**/api/v1/**", (route) => route.abort());
  await at("refresh").click();
  await at("problem").waitFor();
  assert.ok((await at("service-card").count()) >= 4);
  await end(FAILED);
});

test("a timeline that fails alone says so, and the picture is drawn", async () => {
  const { page, at, end } = await openWith(EXPLORE, (route) =>
    route.request().url().includes("/timeline")
      ? route.fulfill({ status: 500, json: { code: "internal", message: "a part is missing" } })
      : route.continue(),
  );
  await at("timeline-problem").waitFor();
  await drawn({ at });
  await page.unroute("**/api/v1/**");
  await at("timeline-problem").getByRole("button").click();
  await at("timeline").locator("canvas").waitFor();
  assert.equal(await at("timeline-problem").count(), 0);
  await end();
});

for (const [status, code, message, says] of [
  [
    400,
    "invalid_argument",
    "the selector ends too soon",
    /The server rejected the query: the selector ends too soon\./,
  ],
  [
    401,
    "unauthenticated",
    "the X-Scope-OrgID header is missing",
    /does not allow this: the X-Scope-OrgID header is missing\./,
  ],
  [403, "permission_denied", "not yours", /does not allow this: not yours\..*Ask an administrator/s],
  [413, "resource_exhausted", "a query of 900 objects", /too large for the server: a query of 900 objects/],
  [429, "resource_exhausted", "later", /too busy.*Try again in 9 seconds/s],
]) {
  test(`${status} has a sentence of its own`, async () => {
    const { at, end } = await openWith(EXPLORE, (route) =>
      route.request().url().includes("/profile")
        ? route.fulfill({ status, headers: { "retry-after": "9" }, json: { code, message } })
        : route.continue(),
    );
    await at("problem").waitFor();
    assert.match(await at("problem").textContent(), says);
    await end();
  });
}

test("a query that is too large is asked for in parts, which are added up", async () => {
  const until = Math.floor(Date.now() / 60_000) * 60_000;
  const range = { from: until - 40 * 60_000, until };
  const whole = await tree("checkout", CPU, { from: range.from, until: until - 1 });
  const asked = [];
  const { page, at, end } = await openWith(
    `/explore?s=checkout&t=${CPU}&from=${range.from}&until=${until}`,
    (route) => {
      const url = new URL(route.request().url());
      if (!url.pathname.endsWith("/api/v1/profile")) return route.continue();
      const [from, until] = ["from", "until"].map((name) => Number(url.searchParams.get(name)));
      asked.push(until - from);
      return until - from > 10 * 60_000
        ? route.fulfill({ status: 413, json: { code: "resource_exhausted", message: "more than 32 MiB of stacks" } })
        : route.continue();
    },
  );
  await drawnFrames(page, whole.total);
  assert.equal(asked.length, 7, "one, its halves, and theirs");
  assert.equal(await at("problem").count(), 0);
  await end();
});

test("a sum that was cut is reported", async () => {
  const { page, at, end } = await openWith(EXPLORE, async (route) => {
    if (!route.request().url().includes("/profile")) return route.continue();
    const response = await fetched(route);
    await route.fulfill({ response, headers: { ...response.headers(), "x-pilotlight-saturated": "true" } });
  });
  await drawn({ at });
  assert.match(await page.locator(".foot").textContent(), /A total exceeds 64 bits and is capped at the maximum/);
  await at("compare").click();
  await at("legend").waitFor();
  const foot = await page.locator(".foot").textContent();
  assert.match(foot, /Baseline: A total exceeds/);
  assert.match(foot, /Comparison: A total exceeds/);
  await end();
});
