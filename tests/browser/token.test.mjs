/** A server that asks for a token: the page asks once, keeps it in this browser, and forgets it when told to. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, settled, url } from "./page.mjs";

const TOKEN = `plt_${"A".repeat(43)}`;
const REFUSED = {
  status: 401,
  headers: { "www-authenticate": 'Bearer realm="pilotlight"' },
  json: { code: "unauthenticated", message: "this needs a token" },
};

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

test("a token is asked for, kept, and forgotten", async () => {
  const context = await browser.newContext({
    serviceWorkers: "block",
    viewport: { width: 1400, height: 900 },
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const shown = [];
  await page.route("**/api/v1/**", (route) => {
    const header = route.request().headers().authorization;
    shown.push(header);
    return header === `Bearer ${TOKEN}` ? route.continue() : route.fulfill(REFUSED);
  });
  const at = (id) => page.getByTestId(id);
  await page.goto(`${url}/`);
  await at("token-dialog").waitFor();
  assert.equal(await at("token-problem").count(), 0, "nothing was wrong yet");
  assert.equal(await at("token-menu").count(), 0);

  await at("token-input").fill("plt_wrong");
  await page.keyboard.press("Enter");
  await at("token-problem").waitFor();
  await at("token-input").fill(TOKEN);
  await at("token-give").click();
  await at("service-card").first().waitFor();
  assert.equal(await at("token-dialog").count(), 0);
  assert.deepEqual([...new Set(shown)], [undefined, "Bearer plt_wrong", `Bearer ${TOKEN}`]);

  await page.reload();
  await at("service-card").first().waitFor();
  assert.equal(await at("token-dialog").count(), 0, "it is asked for once");
  assert.ok(!page.url().includes("plt_"));

  await at("token-menu").click();
  await at("token-forget").click();
  await at("token-dialog").waitFor();
  assert.equal(await page.evaluate(() => localStorage.getItem("pilotlight-token")), null);
  await page.keyboard.press("Escape");
  await at("problem").waitFor();
  assert.match(await at("problem").textContent(), /The server needs a token\..*Try again, and enter a token/s);
  // As the note says.
  await at("problem").getByRole("button", { name: "Try again" }).click();
  await at("token-dialog").waitFor();
  await context.close();
});

test("a late refusal does not open a dismissed dialog again", async () => {
  const context = await browser.newContext({ serviceWorkers: "block", reducedMotion: "reduce" });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const at = (id) => page.getByTestId(id);
  let dismissed;
  const dismissal = new Promise((resolve) => {
    dismissed = resolve;
  });
  const held = [];
  let second;
  const isHeld = new Promise((resolve) => {
    second = resolve;
  });
  let first = true;
  await page.route("**/api/v1/**", async (route) => {
    // The first refusal opens the dialog. Those of all other requests come when it is closed.
    if (first) first = false;
    else {
      const ended = page.waitForEvent("requestfinished", (request) => request === route.request());
      held.push(ended);
      second();
      await dismissal;
    }
    await route.fulfill(REFUSED);
  });
  await page.goto(`${url}/`);
  await at("token-dialog").waitFor();
  await isHeld;
  await page.keyboard.press("Escape");
  await at("token-dialog").waitFor({ state: "detached" });
  dismissed();
  await Promise.all(held);
  await at("problem").waitFor();
  await settled(page);
  assert.equal(await at("token-dialog").count(), 0);
  await at("problem").getByRole("button", { name: "Try again" }).click();
  await at("token-dialog").waitFor();
  await context.close();
});

test("pages come with a strict policy, and cannot be framed", async () => {
  for (const path of ["/", "/explore", "/file"]) {
    const { headers, status } = await fetch(`${url}${path}`);
    assert.equal(status, 200);
    const policy = headers.get("content-security-policy") ?? "";
    for (const rule of ["default-src 'none'", "frame-ancestors 'none'", "connect-src 'self'", "form-action 'none'"])
      assert.ok(policy.includes(rule), `${path}: ${policy}`);
    assert.doesNotMatch(policy, /unsafe-inline|'unsafe-eval'|\*/);
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.equal(headers.get("referrer-policy"), "no-referrer");
  }
});
