/** The front page: services searched, sorted and kept first, against what the API says of them. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { pushStacks } from "./answers.mjs";
import { cpuTimes } from "./longtasks.mjs";
import { amount, close, launch, openPage, redrawn, settled, url } from "./page.mjs";

const CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";
const IN_USE = "memory:inuse_space:bytes:space:bytes";
const MINUTE = 60_000;

let browser;
/** A range that stays the same, with a period before that has profiles, too. */
let range;
before(async () => {
  browser = await launch();
  const now = Number(process.env.PILOTLIGHT_DEMO_END ?? Date.now());
  range = { from: now - 21 * MINUTE, until: now - MINUTE };
});
after(() => browser?.close());

const home = (more = "") => `/?from=${range.from}&until=${range.until}${more}`;
const names = ({ page }) => page.locator(".service-card .card-name").allTextContents();
/** Waits until the cards have this order, those of some services among all. */
async function listed({ page }, expected, among = null) {
  await page
    .waitForFunction(
      ({ expected, among }) =>
        [...document.querySelectorAll(".service-card .card-name")]
          .map((name) => name.textContent)
          .filter((name) => !among || among.includes(name))
          .join() === expected,
      { expected: expected.join(), among },
      { timeout: 5_000 },
    )
    .catch(() => {});
  const shown = await names({ page });
  assert.deepEqual(among ? shown.filter((name) => among.includes(name)) : shown, expected);
}

async function services(type) {
  const answer = await fetch(`${url}/api/v1/services?${new URLSearchParams({ ...range, points: 41 })}`);
  assert.equal(answer.status, 200);
  const found = (await answer.json()).services.sort((a, b) => (a.name < b.name ? -1 : 1));
  // Types that differ in the period type alone read alike.
  const kind = (id) => id.split(":").slice(0, 3).join(":");
  const of = (types) => types.find(({ id }) => id === type) ?? types.find(({ id }) => kind(id) === kind(type));
  return found.map(({ name, types }) => ({ name, ...of(types) }));
}
/** Sorted by a number; null comes last, equal ones keep the order of names. */
function by(all, value) {
  return [...all]
    .sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      return x === y ? 0 : x === null ? 1 : y === null ? -1 : y - x;
    })
    .map(({ name }) => name);
}
/** Per profile where the time before has more of them; none where it has too few. */
function growth({ id, total, previous, profiles, previousProfiles }) {
  if (!id) return null;
  if (previousProfiles < Math.max(1, 0.75 * profiles)) return 1;
  const ratio = Number(total) / Number(previous);
  return profiles < 0.75 * previousProfiles ? (ratio * previousProfiles) / profiles : ratio;
}
/** The services of the demo, whose load has no other changes than the deploy before this range. */
const DEMO = ["catalog", "checkout", "email-worker", "payments"];
const ofDemo = (names) => names.filter((name) => DEMO.includes(name));

/**
 * Compares a page with what the API says of a type. Other tests push into the same range: where the API's answer has changed
 * meanwhile, the page may rightly differ, and is compared again.
 */
async function compared(type, more, compare) {
  for (let tries = 1; ; tries++) {
    const all = await services(type);
    const opened = await openPage(browser, home(more));
    try {
      await compare(opened, all);
      return await opened.end();
    } catch (failure) {
      if (tries === 5 || isDeepStrictEqual(all, await services(type))) throw failure;
      await opened.end(/./);
    }
  }
}

// The type is named: without one, the page shows that of most services, which other tests have a say in.
test("services are in the order of the API's names, totals and changes, and the address has it", () =>
  compared(CPU, `&t=${CPU}`, agrees));

async function agrees(opened, all) {
  const { page, at } = opened;
  assert.ok(all.length >= 4);
  await listed(
    opened,
    [...all.filter(({ id }) => id), ...all.filter(({ id }) => !id)].map(({ name }) => name),
  );
  assert.equal(await at("search-result").textContent(), `${all.length} services`);
  await at("order").selectOption("-total");
  await page.waitForURL(/[?&]o=-total/);
  await listed(
    opened,
    by(all, ({ id, total }) => (id ? Number(total) : null)),
  );
  for (const { name, total, id } of all.filter(({ id }) => id)) {
    const card = at("service-card").filter({ has: page.locator(".card-name").getByText(name, { exact: true }) });
    close(amount(await card.locator(".card-total").textContent()), Number(total), `${name}, ${id}`);
  }
  await at("order").selectOption("-delta");
  await page.waitForURL(/[?&]o=-delta/);
  // What other tests have pushed may change within the range, which comes before a change against the time before it.
  await listed(opened, ofDemo(by(all, growth)), DEMO);
  await at("order").selectOption("delta");
  await page.waitForURL(/[?&]o=delta/);
  await listed(opened, ofDemo(by(all, (one) => (growth(one) === null ? null : -growth(one)))), DEMO);
  await at("order").selectOption("name");
  await page.waitForURL((address) => !address.searchParams.has("o"));
}

test("gauges are sorted by what a snapshot has", () =>
  compared(IN_USE, `&t=${IN_USE}&o=-total`, (opened, all) =>
    listed(
      opened,
      by(all, ({ id, total, profiles }) => (id ? Number(total) / profiles : null)),
    ),
  ));

test("a search by keyboard, shared as an address, opens the service", async () => {
  const opened = await openPage(browser, home());
  const { page, at, end } = opened;
  await at("service-card").first().waitFor();
  await page.keyboard.press("/");
  assert.equal(await page.evaluate(() => document.activeElement?.id), "search");
  await page.keyboard.type("CHECK");
  await listed(opened, ["checkout"]);
  assert.match(await at("search-result").textContent(), /^1 of \d+ services$/);
  assert.equal(await at("search-result").getAttribute("aria-live"), "polite");
  await page.waitForURL(/[?&]q=CHECK/);
  const other = await openPage(browser, page.url().slice(url.length));
  await listed(other, ["checkout"]);
  assert.equal(await other.at("search").inputValue(), "CHECK");
  await other.end();
  // On to the card: order, star … and back to its link.
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement?.dataset.testid), "order");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/explore\?s=checkout/);
  assert.doesNotMatch(page.url(), /[?&]q=/, "the search of services is none of frames");
  await page.goBack();
  await listed(opened, ["checkout"]);
  await at("search").focus();
  await page.keyboard.press("Escape");
  await page.waitForURL((address) => !address.searchParams.has("q"));
  assert.ok((await names(opened)).length >= 4);
  await end();
});

test("where nothing matches the page says what was searched, and a click shows all again", async () => {
  const opened = await openPage(browser, home());
  const { page, at, end } = opened;
  await at("search").click();
  await at("search").fill("no such <service>");
  await at("no-match").waitFor();
  assert.match(await at("no-match").textContent(), /No service matches “no such <service>”/);
  assert.match(await at("search-result").textContent(), /^0 of \d+ services$/);
  // Older services are not searched: a wider range is offered, once.
  await at("search-wider").click();
  await page.waitForURL((address) => address.searchParams.get("from") === "now-7d" && address.searchParams.has("q"));
  await at("search-wider").waitFor({ state: "detached" });
  await at("clear-search").click();
  await at("service-card").first().waitFor();
  await page.waitForFunction(() => document.activeElement?.id === "search");
  assert.equal(await at("search").inputValue(), "");
  await end();
});

test("a service whose last profiles lie just before the range is named, and a click shows them", async () => {
  const service = `ended-${Date.now().toString(36)}`;
  await pushStacks(service, "main;work 100\n", Math.floor(Date.now() / 1000) - 90 * 60);
  const opened = await openPage(browser, "/?from=now-1h");
  const { page, at, end } = opened;
  await at("ended").getByText(service, { exact: true }).click();
  await page.waitForURL((address) => address.searchParams.get("s") === service);
  await at("flame").waitFor();
  await settled(page);
  await page.goto(`${url}/?from=now-3h`);
  await page.locator(".service-card .card-name").getByText(service, { exact: true }).waitFor();
  await settled(page);
  assert.equal(await at("ended").getByText(service, { exact: true }).count(), 0);
  await end();
});

test("favourites come first, by mouse and by key, and survive a reload", async () => {
  const opened = await openPage(browser, home());
  const { page, at, end } = opened;
  await at("service-card").first().waitFor();
  const before = await names(opened);
  const star = (name) => page.getByRole("button", { name: `Favorite: ${name}`, exact: true });
  await star("payments").click();
  await listed(opened, ["payments", ...before.filter((name) => name !== "payments")]);
  assert.match(page.url(), /\/\?from=/, "the star is no link");
  assert.equal(await star("payments").getAttribute("aria-pressed"), "true");
  await star("email-worker").focus();
  await page.keyboard.press("Enter");
  const kept = ["email-worker", "payments"];
  const first = [...kept, ...before.filter((name) => !kept.includes(name))];
  await listed(opened, first);
  await page.waitForFunction(() => document.activeElement?.getAttribute("aria-label") === "Favorite: email-worker");
  await page.reload();
  await listed(opened, first);
  assert.equal(await star("email-worker").getAttribute("aria-pressed"), "true");
  await at("order").selectOption("-total");
  await page.waitForURL(/[?&]o=-total/);
  const sorted = await names(opened);
  assert.deepEqual(sorted.slice(0, 2).sort(), kept, "in every order");
  await star("email-worker").focus();
  await page.keyboard.press("Space");
  await page.locator("[aria-label='Favorite: email-worker'][aria-pressed=false]").waitFor();
  assert.equal((await names(opened))[0], "payments");
  assert.equal(await page.evaluate(() => localStorage.getItem("pilotlight-favourites")), '["payments"]');
  await end();
});

test("five hundred services are searched without a pause", async () => {
  const context = await openPage(browser, "/file");
  const { page, at, end } = context;
  await page.route("**/api/v1/services?*", (route) => {
    const points = Array.from({ length: 60 }, (_, i) => 1e9 + ((i * 7919) % 97) * 1e7);
    const type = (i) => ({
      id: CPU,
      total: String(points.reduce((a, b) => a + b, 0) + i),
      profiles: 120,
      points,
      counts: points.map(() => 2),
      covered: points.map(() => 60_000),
      duration: 30_000,
      previous: String(6e10 + i * 1e8),
      previousProfiles: 120,
    });
    const services = Array.from({ length: 500 }, (_, i) => ({ name: `team-${i % 20}-service-${i}`, types: [type(i)] }));
    return route.fulfill({ json: { start: Date.now() - 3_600_000, step: 60_000, services, ended: [] } });
  });
  await page.goto(`${url}/`);
  await at("service-card").first().waitFor();
  assert.equal(await at("search-result").textContent(), "500 services");
  // What the page's thread computes for a key: 150 ms, and two to three times that where other programs fill the caches.
  const used = await cpuTimes(page);
  let most = 0;
  const step = async (act) => {
    await act();
    await settled(page);
    most = Math.max(most, await used());
  };
  await at("search").click();
  for (const key of "service-49") await step(() => page.keyboard.press(key));
  await page.waitForFunction(() => /^11 of/.test(document.querySelector("[data-testid=search-result]").textContent));
  for (let i = 0; i < 10; i++) await step(() => page.keyboard.press("Backspace"));
  await page.waitForFunction(() => document.querySelectorAll(".service-card").length === 500);
  await step(() => at("order").selectOption("-delta"));
  await page.waitForFunction(() => document.querySelector(".service-card .card-name").textContent.endsWith("-0"));
  console.log(`500 services: ${Math.round(most)} ms of CPU time for a key at most`);
  assert.ok(most < 1000, `${Math.round(most)} ms for a key`);
  await end();
});

test("cards stay where they are while another range is read", async () => {
  const opened = await openPage(browser, home("&o=-total"));
  const { page, at, end } = opened;
  await at("service-card").first().waitFor();
  const places = () =>
    page.locator(".service-card").evaluateAll((cards) =>
      cards.map((card) => {
        const { x, y, height } = card.getBoundingClientRect();
        return [card.querySelector(".card-name").textContent, x, y, height].join(" ");
      }),
    );
  const before = await places();
  let go;
  const held = new Promise((resolve) => (go = resolve));
  await page.route("**/api/v1/services?*", async (route) => {
    await held;
    await route.continue();
  });
  const asked = page.waitForRequest("**/api/v1/services?*");
  await at("refresh").click();
  await asked;
  await redrawn(page);
  assert.deepEqual(await places(), before);
  go();
  await settled(page);
  assert.deepEqual(await places(), before);
  await end();
});

test("times are in UTC where that is chosen, on every page and after a reload", async () => {
  const opened = await openPage(browser, home(), { timezoneId: "Asia/Kolkata" });
  const { page, at, end } = opened;
  const clock = (time, minutes) => new Date(time + minutes * MINUTE).toISOString().slice(11, 16);
  // A day stands before the second time where it is another one.
  const label = (minutes) =>
    new RegExp(`${clock(range.from, minutes)}(:\\d\\d)? – (\\d+ \\w+ (\\d+ )?)?${clock(range.until, minutes)}`);
  await at("service-card").first().waitFor();
  assert.match((await at("range").textContent()).replace(/.*, /, ""), label(330));
  await at("range").click();
  await at("zone").selectOption("utc");
  assert.match(await at("range").textContent(), label(0));
  assert.match(await page.locator(".range-custom input").first().inputValue(), new RegExp(`T${clock(range.from, 0)}`));
  await page.keyboard.press("Escape");
  await page.reload();
  await at("service-card").filter({ hasText: "checkout" }).click();
  await at("timeline").locator("canvas").waitFor();
  assert.match(await at("range").textContent(), label(0));
  assert.doesNotMatch(await at("timeline").textContent(), /UTC\+5:30/);
  await at("range").click();
  assert.equal(await at("zone").inputValue(), "utc");
  await at("zone").selectOption("local");
  assert.match(await at("timeline").textContent(), /UTC\+5:30/);
  assert.match(await at("range").textContent(), label(330));
  // What is typed is read in the zone, too.
  await at("zone").selectOption("utc");
  const [from, until] = [range.from + 5 * MINUTE, range.until - 5 * MINUTE];
  const typed = (time) => new Date(time).toISOString().slice(0, 19);
  await page.locator(".range-custom input").first().fill(typed(from));
  await page.locator(".range-custom input").last().fill(typed(until));
  await page.getByRole("button", { name: "Apply" }).click();
  const second = (time) => Math.floor(time / 1000) * 1000;
  await page.waitForURL((address) => address.searchParams.get("from") === String(second(from)));
  assert.equal(new URL(page.url()).searchParams.get("until"), String(second(until)));
  await end();
});
