/** What a deploy job says is marked on the timeline of its service. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { pushStacks } from "./answers.mjs";
import { CLOCK_TIME } from "./clocktime.mjs";
import { launch, openPage, url } from "./page.mjs";

const seconds = Math.floor(Date.now() / 1000) - 1_200;
const service = `annotated.${seconds}`;
const api = `${url}/api/v1/annotations`;

let browser;
before(async () => {
  browser = await launch();
  for (let i = 0; i < 5; i++) await pushStacks(service, "main;work 3\n", seconds + 60 * i);
});
after(() => browser?.close());

const create = (annotation) => fetch(api, { method: "POST", body: JSON.stringify(annotation) });
const created = async (annotation) => {
  const answer = await create(annotation);
  assert.equal(answer.status, 200, await answer.clone().text());
  return answer.json();
};
async function listed(of) {
  const range = { from: String(seconds * 1000), until: String((seconds + 600) * 1000) };
  const answer = await fetch(`${api}?${new URLSearchParams({ ...range, ...(of && { service: of }) })}`);
  assert.equal(answer.status, 200);
  return (await answer.json()).annotations.filter(({ text }) => text.includes(service));
}

test("a deploy is marked, with a link, and taken back", async () => {
  const time = (seconds + 150) * 1000;
  const deploy = { text: `deployed ${service}`, time, service, url: "https://ci.example.com/runs/7" };
  const { id } = await created(deploy);
  assert.equal((await created(deploy)).id, id, "the same twice is one");
  const everywhere = await created({ text: `region moved, ${service}`, time: time + 60_000 });
  const other = await created({ text: `another's, ${service}`, time, service: "another" });
  assert.deepEqual(await listed(), [{ id, ...deploy }, other, everywhere]);
  assert.deepEqual(await listed(service), [{ id, ...deploy }, everywhere]);

  const path = `/explore?${new URLSearchParams({ s: service, from: String(seconds * 1000), until: String((seconds + 300) * 1000) })}`;
  const { page, at, end } = await openPage(browser, path);
  await at("timeline-mark").nth(1).waitFor();
  const words = (await at("timeline-mark").allTextContents()).map((text) =>
    text.replace(new RegExp(` from ${CLOCK_TIME}(:\\d\\d)?$`), ""),
  );
  assert.deepEqual(words, [deploy.text, everywhere.text]);
  const link = at("timeline-mark").getByRole("link");
  assert.equal(await link.getAttribute("href"), deploy.url);
  assert.equal(await link.getAttribute("target"), "_blank");
  await page.screenshot({ path: `${process.env.PILOTLIGHT_SHOTS}/annotations.png` });
  await end();

  for (const one of [id, other.id, everywhere.id]) {
    const answer = await fetch(`${api}?id=${one}`, { method: "DELETE" });
    assert.equal(answer.status, 204);
  }
  assert.deepEqual(await listed(), []);
});

test("what is no annotation is refused", async () => {
  for (const [annotation, says] of [
    [{}, /missing field `text`/],
    [{ text: "a", time: 1_795_235_400 }, /must be milliseconds \(got 1795235400, which looks like seconds\)/],
    [{ text: "a", url: "javascript:alert(1)" }, /url must start with/],
  ]) {
    const answer = await create(annotation);
    assert.equal(answer.status, 400);
    assert.match((await answer.json()).message, says);
  }
  const none = await fetch(`${api}?id=999999999`, { method: "DELETE" });
  assert.equal(none.status, 404);
  assert.match((await none.json()).message, /annotation 999999999 not found/);
});
