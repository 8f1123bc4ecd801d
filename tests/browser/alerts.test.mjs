/** Alerts on recording rules: made from a rule and after one is recorded, seen with their state, silenced and deleted; and who gets their messages. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { alertAnswer } from "./alertanswers.mjs";
import { pushStacks } from "./answers.mjs";
import { barriers } from "./axe.mjs";
import { CLOCK_TIME } from "./clocktime.mjs";
import { launch, openPage, settled, url } from "./page.mjs";

const CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";
const minute = 60_000;
const start = Math.floor(Date.now() / minute) * minute - 50 * minute;
const service = `alerts.${start}`;
const query = `${CPU}{service_name="${service}"}`;
const metric = (name) => `profiles_recorded_alerts_${name}_${start}`;
const receiver = `receiver-${start}`;

const json = async (path, init) => {
  const answer = await fetch(`${url}/api/v1/${path}`, init);
  assert.ok(answer.ok, `${path}: ${answer.status} ${await answer.clone().text()}`);
  return answer.json();
};
const posted = (path, body) => json(path, { method: "POST", body: JSON.stringify(body) });
const removed = (path) => fetch(`${url}/api/v1/${path}`, { method: "DELETE" });
/** The alerts of this test's rules. */
const stored = async () => (await json("alerts")).alerts.filter(({ rule }) => made.some(({ id }) => id === rule));

let browser;
/** The rules of a function, by region, and of entire profiles. */
let ofFunction;
let ofService;
const made = [];
before(async () => {
  browser = await launch();
  // A sample is a hundredth of a second: 600 s of CPU in a minute, which are two cores over five minutes.
  await pushStacks(`${service}{region=eu,version=1}`, "main;work 60000\nmain;rest 500\n", start / 1000);
  await pushStacks(`${service}{region=us,version=1}`, "main;work 600\nmain;rest 500\n", start / 1000 + 60);
  const rule = async (name, fields) => {
    const one = await posted("rules", { metric_name: metric(name), query, unit_suffix: true, ...fields });
    made.push(one);
    return one;
  };
  ofFunction = await rule("work", { function: "work", group_by: ["region"] });
  ofService = await rule("all", {});
});
after(async () => {
  for (const { id } of await stored()) await removed(`alerts?id=${id}`);
  for (const { id } of made) await removed(`rules?id=${id}`);
  await removed(`receivers?name=${receiver}`);
  await browser?.close();
});

const card = (page, name) => page.locator(`[data-testid="rule"][data-name="${metric(name)}_seconds"]`);
const item = (page, name) => page.locator(`[data-testid="alert-item"][data-name="${name}"]`);

test("an alert is made on a rule: its words, when it would have fired, and what is stored", async () => {
  const { page, at, end } = await openPage(browser, "/rules");
  await card(page, "work").getByTestId("rule-alert").click();
  await at("alert-words").filter({ hasText: "more than 2.4 cores" }).waitFor();
  assert.equal(
    await at("alert-words").textContent(),
    `Fires when work in ${service} uses more than 2.4 cores (average of 5 min); each region separately.`,
    "a fifth above the highest value of the chart, whose steps are five minutes as the alert's",
  );
  assert.ok(await at("alert-kind-new_function").isDisabled(), "the rule is of one function");
  await at("rule-threshold").waitFor({ state: "attached" });
  await at("alert-firings").filter({ hasText: "it wouldn't have fired" }).waitFor();
  await at("alert-threshold").fill("1.2");
  await at("alert-firings").filter({ hasText: "would have fired once" }).waitFor();
  assert.match(await at("alert-firings").textContent(), /region=eu, \d[\d.]* cores at the end$/);
  assert.equal(await at("rule-firing").count(), 1);

  await at("alert-threshold").fill("5");
  await at("alert-firings").filter({ hasText: "it wouldn't have fired" }).waitFor();
  assert.equal(await at("rule-firing").count(), 0);
  assert.equal(await at("alert-name").inputValue(), `work in ${service} above 5 cores`);
  await at("alert-threshold").fill("0.5");
  await at("alert-for").selectOption("2");
  const name = `work in ${service} above 0.5 cores`;
  assert.equal(await at("alert-name").inputValue(), name);
  await at("alert-firings").filter({ hasText: "would have fired once" }).waitFor();
  assert.deepEqual(await barriers(page), []);
  await page.screenshot({ path: `${process.env.PILOTLIGHT_SHOTS}/alert.png` });
  await at("alert-save").click();
  await at("alert-saved").waitFor();
  const [alert] = await stored();
  assert.deepEqual(
    [alert.name, alert.rule, alert.kind, alert.threshold, alert.minutes, alert.for_minutes, alert.receivers],
    [name, ofFunction.id, "above", 0.5, 5, 2, []],
  );
  assert.equal(alert.unit, "cores");

  await at("alert-all").click();
  await page.waitForURL(/\/alerts$/);
  await item(page, name)
    .getByTestId("alert-item-words")
    .filter({ hasText: "more than 0.5 cores for 2 min (average of 5 min); each region separately" })
    .waitFor();
  assert.equal(await page.title(), "Alerts · Pilotlight");
  assert.deepEqual(await barriers(page), []);
  await end();
});

test("kinds have their own words and numbers", async () => {
  const { page, at, end } = await openPage(browser, "/alerts");
  await at("alert-new").click();
  await at("alert-rule").selectOption({ label: `${metric("all")}_seconds` });
  for (const [kind, words] of [
    ["below", `uses less than`],
    ["new_function", `a new function in ${service} has at least 5 % of the CPU time`],
    ["silent", `${service}, which had profiles, has none for 15 min`],
    ["grew", `the CPU time of ${service} per minute grows by more than 20 %`],
  ]) {
    await at(`alert-kind-${kind}`).click();
    await at("alert-words").filter({ hasText: words }).waitFor();
    const hours = kind === "new_function" ? 2 : 24;
    await at("alert-firings")
      .filter({ hasText: `In the last ${hours} h` })
      .waitFor();
  }
  await at("alert-version").selectOption("version");
  await at("alert-words").filter({ hasText: "larger in the newest version than in the one before" }).waitFor();
  await at("alert-name").fill(`grew ${start}`);
  await at("alert-save").click();
  await item(page, `grew ${start}`).waitFor();
  const alert = (await stored()).find(({ kind }) => kind === "grew");
  assert.deepEqual([alert.version_label, alert.threshold, alert.minutes], ["version", 20, 30]);
  assert.equal(alert.unit, "%");
  await end();
});

test("an alert is edited, silenced and deleted, and never over another's change", async () => {
  const name = `edited ${start}`;
  const alert = { id: "", generation: 0, name, rule: ofService.id, kind: "above", threshold: 3, minutes: 10 };
  const rest = { for_minutes: 1, version_label: "", receivers: [], silenced_until: 0 };
  const first = await posted("alerts", { ...alert, ...rest });
  assert.match(first.id, /^\w+$/);
  const mine = async () => (await stored()).find(({ id }) => id === first.id);

  const { page, at, end } = await openPage(browser, "/alerts");
  const own = item(page, name);
  await own.getByTestId("alert-edit").click();
  await at("alert-threshold").fill("4");
  assert.equal(await at("alert-name").inputValue(), name, "the name stays");
  await at("alert-save").click();
  await own.getByTestId("alert-item-words").filter({ hasText: "more than 4 cores (average of 10 min)" }).waitFor();

  await own.getByTestId("alert-edit").click();
  const second = await mine();
  await posted("alerts", { ...alert, ...rest, id: first.id, generation: second.generation, threshold: 6 });
  await at("alert-threshold").fill("5");
  await at("alert-save").click();
  await at("alert-problem").waitFor();
  assert.equal((await mine()).threshold, 6);
  await page.keyboard.press("Escape");
  await own.getByTestId("alert-item-words").filter({ hasText: "more than 6 cores" }).waitFor();

  await own.getByTestId("silence").click();
  await own.getByTestId("silence-8h").click();
  await own.getByTestId("alert-status").filter({ hasText: "silenced until" }).waitFor();
  const { silenced_until } = await mine();
  assert.ok(Math.abs(silenced_until - Date.now() - 8 * 60 * minute) < 5 * minute);
  await own.getByTestId("silence-end").click();
  await own.getByTestId("silence").waitFor();
  assert.equal((await mine()).silenced_until, 0);

  await own.getByTestId("alert-delete").click();
  await own.getByTestId("alert-question").filter({ hasText: name }).waitFor();
  assert.ok(await mine(), "it only asks");
  await own.getByTestId("alert-delete-yes").click();
  await own.waitFor({ state: "detached" });
  assert.equal(await mine(), undefined);
  await end(/status of 409/);
});

test("an alert is the next step after a function is recorded", async () => {
  const range = { from: start - 5 * minute, until: start + 10 * minute };
  const path = `/explore?${new URLSearchParams({ s: service, t: CPU, ...range, p: "function", fn: "rest" })}`;
  const { at, page, end } = await openPage(browser, path);
  await at("record-open").click();
  await at("record-name").fill(metric("rest"));
  await at("record-save").click();
  await at("record-alert").click();
  await at("alert-kind-grew").click();
  await at("alert-words")
    .filter({ hasText: `the share of rest in ${service} grows by more than 20 %` })
    .waitFor();
  await at("alert-save").click();
  await at("alert-all").click();
  made.push((await json("rules")).rules.find(({ metric_name }) => metric_name === metric("rest")));
  await item(page, `rest in ${service} grew`).waitFor();
  await end();
});

test("a receiver is added and tested, and what went wrong is said in its server's words", async () => {
  const got = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    got.push({ authorization: request.headers.authorization, body });
    response.writeHead(request.url === "/ok" ? 200 : 404).end("no such channel");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const host = `127.0.0.1:${server.address().port}`;
  const { page, at, end } = await openPage(browser, "/alerts");
  const own = page.locator(`[data-testid="receiver"][data-name="${receiver}"]`);
  const add = async (path) => {
    await at("receiver-add").click();
    await at("receiver-name").fill(receiver);
    await at("receiver-url").fill(`http://${host}${path}`);
    await at("receiver-token").fill("secret-of-the-webhook");
    await at("receiver-save").click();
    await at("receiver-form").waitFor({ state: "detached" });
    await own.waitFor();
    await own.getByTestId("receiver-test").click();
  };
  await add("/ok");
  await own.getByTestId("receiver-outcome").filter({ hasText: "answered with status 200" }).waitFor();
  const [{ authorization, body }] = got;
  assert.equal(authorization, "Bearer secret-of-the-webhook");
  const message = JSON.parse(body);
  assert.equal(message.status, "test");
  assert.ok(message.id && message.text && message.at);
  const [listed] = (await json("alerts")).receivers.filter(({ name }) => name === receiver);
  assert.deepEqual([listed.kind, listed.host], ["webhook", host], "neither URL nor token is told");
  assert.ok(!(await page.content()).includes("secret-of-the-webhook"));

  await add("/gone");
  await own.getByTestId("receiver-outcome").filter({ hasText: "404" }).waitFor();
  assert.deepEqual(await barriers(page), []);
  await own.getByTestId("receiver-delete").click();
  await own.getByTestId("receiver-delete-yes").click();
  await own.waitFor({ state: "detached" });
  await end(/the server responded with a status of [45]\d\d/);
  server.close();
});

test("what fires comes first, with its series and their profiles; errors and silences are said", async () => {
  const answer = alertAnswer({ ofFunction: ofFunction.id, ofService: ofService.id });
  const { page, at, end } = await openPage(browser, "/rules");
  await page.route("**/api/v1/alerts?*", (route) => route.fulfill({ json: answer }));
  await at("tab-alerts").click();
  await at("alert-item").first().waitFor();
  assert.deepEqual(
    await at("alert-item").evaluateAll((items) => items.map(({ dataset }) => `${dataset.name}: ${dataset.status}`)),
    [
      "Matching uses more CPU: firing",
      "Of a deleted rule: error",
      "Slower than the version before: error",
      "A new function: firing",
      "Quiet: ok",
      "Yet to come: unknown",
    ],
  );
  const firing = item(page, "Matching uses more CPU");
  assert.match(await firing.getByTestId("alert-status").textContent(), new RegExp(`^Firing since ${CLOCK_TIME}$`));
  assert.match(
    await firing.getByTestId("firing-series").first().textContent(),
    new RegExp(`^region=eu ?2\\.1 cores ?since ${CLOCK_TIME}`),
  );
  assert.match(
    await item(page, "A new function").getByTestId("alert-status").textContent(),
    new RegExp(`^Firing since ${CLOCK_TIME}, silenced until \\d+ \\w+ \\d\\d:\\d\\d$`),
  );
  assert.equal(await item(page, "Yet to come").getByTestId("alert-status").textContent(), "Not evaluated yet");
  assert.equal(
    await item(page, "Slower than the version before").getByTestId("alert-error").textContent(),
    "The label version has too many values.",
  );
  assert.match(await item(page, "Of a deleted rule").textContent(), /The rule of this alert was deleted/);
  assert.deepEqual(
    await at("alert-event").evaluateAll((rows) => rows.map(({ lastElementChild }) => lastElementChild.textContent)),
    // The last two are of an alert on missing profiles, and of before kinds and units were stored.
    ["2.1 cores", "last +12 %", "+39 %", "last 2 MiB", "3 MiB", "7 min", "–"],
  );
  const states = await at("alert-event").locator("b").allTextContents();
  assert.match(states[0], new RegExp(`^Firing since ${CLOCK_TIME}$`));
  assert.deepEqual(states.slice(1), ["Resolved", "Firing", "Ended by a change", "Firing", "Firing", "Firing"]);
  assert.match(await at("receiver").nth(1).textContent(), /no message delivered yet · 3 messages waiting to be sent/);
  assert.deepEqual(await barriers(page), []);
  await page.screenshot({ path: `${process.env.PILOTLIGHT_SHOTS}/alerts.png`, fullPage: true });

  await firing.getByTestId("firing-profiles").first().click();
  await page.waitForURL(/\/explore\?/);
  const asked = new URL(page.url()).searchParams;
  assert.deepEqual([asked.get("s"), asked.get("fn"), asked.getAll("l")], [service, "work", ['region="eu"']]);
  const { since } = answer.alerts[0].firing[0];
  const window = answer.alerts[0].minutes * minute;
  assert.equal(asked.get("w"), `${since - window}-${since}`);
  assert.ok(Number(asked.get("from")) < since && since < Number(asked.get("until")));
  await page.goBack();
  await firing.getByTestId("firing-compared").first().click();
  await page.waitForURL(/\/diff\?/);
  const compared = new URL(page.url()).searchParams;
  assert.deepEqual(
    ["q", "l", "l2"].map((name) => compared.get(name)),
    ["work", 'region="eu"', 'region="eu"'],
  );
  const times = [since - 2 * window, since - window, since - window, since].map(String);
  assert.deepEqual(
    ["from", "until", "from2", "until2"].map((name) => compared.get(name)),
    times,
  );
  await page.goBack();
  await item(page, "A new function").getByTestId("firing-profiles").click();
  await page.waitForURL(/fn=main\.brandNew/);
  await end();
});

test("a rule says which alerts watch it, also before it is deleted", async () => {
  const answer = alertAnswer({ ofFunction: ofFunction.id, ofService: ofService.id });
  const { page, at, end } = await openPage(browser, "/");
  await page.route("**/api/v1/alerts?*", (route) => route.fulfill({ json: answer }));
  await at("rules-link").click();
  const watching = card(page, "work").getByTestId("rule-alerts");
  await watching.filter({ hasText: "1 alert, firing" }).waitFor();
  assert.equal(await card(page, "all").getByTestId("rule-alerts").textContent(), "4 alerts, 1 firing");
  await card(page, "work").getByTestId("rule-delete").click();
  await card(page, "work")
    .getByTestId("rule-question")
    .filter({ hasText: "The alert “Matching uses more CPU” watches it and will no longer fire." })
    .waitFor();
  await card(page, "all").getByTestId("rule-delete").click();
  await card(page, "all")
    .getByTestId("rule-question")
    .filter({ hasText: "4 alerts watch it and will no longer fire. Dashboards that use it will have no data." })
    .waitFor();
  assert.deepEqual(await barriers(page), []);
  await page.screenshot({ path: `${process.env.PILOTLIGHT_SHOTS}/rule-alerts.png`, fullPage: true });
  await watching.click();
  await page.waitForURL(/\/alerts$/);
  await end();
});

test("the front page says what fires, without moving anything", async () => {
  const { alerts, ...rest } = alertAnswer({ ofFunction: ofFunction.id, ofService: ofService.id });
  for (const viewport of [
    { width: 1400, height: 900 },
    { width: 1120, height: 768 },
    { width: 768, height: 1024 },
    { width: 390, height: 844 },
  ]) {
    const { page, at, end, requests } = await openPage(browser, "/file", { viewport });
    const asked = () => requests.filter(({ url }) => new URL(url).pathname.endsWith("/alerts"));
    await page.route("**/api/v1/alerts?*", (route) => route.fulfill({ json: { alerts, ...rest } }));
    await page.goto(url);
    await at("service-card").first().waitFor();
    await at("firing").waitFor();
    await settled(page);
    const boxes = () =>
      Promise.all([at("refresh"), at("range"), at("services"), at("dropzone")].map((one) => one.first().boundingBox()));
    const withNote = await boxes();
    assert.equal(
      await at("firing").getAttribute("title"),
      "1 alert is firing",
      "one is silenced, another can't be told",
    );
    assert.equal(asked().length, 1);
    assert.deepEqual(await barriers(page), []);
    await page.screenshot({ path: `${process.env.PILOTLIGHT_SHOTS}/firing-${viewport.width}.png` });
    const display = (value) => at("firing").evaluate((note, value) => note.style.setProperty("display", value), value);
    await display("none");
    assert.deepEqual(await boxes(), withNote, `${viewport.width}`);
    await display("");
    await at("firing").click();
    await page.waitForURL(/\/alerts$/);
    await end();
  }
});

test("where nothing fires, alerts can't be read or there is no server, the front page is silent", async () => {
  const { page, at, requests, end } = await openPage(browser, "/rules");
  const asked = () => requests.filter(({ url }) => new URL(url).pathname.endsWith("/alerts")).length;
  await page.route("**/api/v1/alerts?*", (route) => route.fulfill({ status: 404, json: { message: "no such call" } }));
  const answer = page.waitForResponse("**/api/v1/alerts?*");
  await page.goto(url);
  await at("service-card").first().waitFor();
  await answer;
  await settled(page);
  assert.equal(await at("firing").count(), 0);
  const before = asked();
  await page.route("**/api/v1/services?*", (route) => route.fulfill({ status: 404, body: "no such file" }));
  await page.evaluate(() => localStorage.clear());
  await page.goto(url);
  await page.locator("main.alone").waitFor();
  await settled(page);
  assert.equal(asked(), before);
  await end(/status of 404/);
});

test("without alerts the page says what one is and how to make it", async () => {
  const { page, at, end } = await openPage(browser, "/");
  await page.route("**/api/v1/alerts?*", (route) =>
    route.fulfill({ json: { alerts: [], history: [], receivers: [] } }),
  );
  await page.route("**/api/v1/rules?*", (route) => route.fulfill({ json: { rules: [] } }));
  await at("rules-link").click();
  await at("tab-alerts").click();
  await at("alerts-empty").filter({ hasText: "choose “Record as a metric”, and then “Alert…”" }).waitFor();
  await at("receivers-empty").waitFor();
  assert.deepEqual(await barriers(page), []);
  await end();
});
