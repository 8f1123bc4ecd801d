/** Two places in the address of the page: each side asks its own, and all links keep both. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Mark } from "../src/time/marks.ts";
import "./page.ts";

const described: Record<string, object> = {
  "http://localhost/old/bundle.json": { version: 1, catalog: [], made: { from: 1000, until: 5000 } },
  "https://else.test/new/bundle.json": { version: 1, catalog: [], made: { from: 90_000, until: 99_000 } },
};
let say = () => {};
const said = new Promise<void>((resolve) => (say = resolve));
globalThis.fetch = async (url) => {
  await said;
  return Response.json(described[String(url)] ?? {});
};
location.href = "http://localhost/diff?bucket=old/bundle.json&bucket2=https://else.test/new/bundle.json";
const { known, learnSpans, placeOf, places, wholeSpan } = await import("../src/state/query/place.ts");
const { diffRoute, exploreRoute, go, href, visit } = await import("../src/state/url/router.ts");
const { exploreSide, swapSides, timelineSpan, versionSides } = await import("../src/state/query/sides.ts");
const { initialRoute } = await import("../src/state/url/route.ts");
const { placeName } = await import("../src/state/query/placenames.ts");
const { bundleAddress } = await import("../src/state/query/otherplace.ts");
const [OLD, NEW] = Object.keys(described);

test("nothing is known before the bundles have said their times; each side then has all of its own", async () => {
  assert.equal(known.peek(), false);
  say();
  while (!known.peek()) await new Promise((resolve) => setTimeout(resolve));
  assert.deepEqual([placeOf("base"), placeOf("other")], [OLD, NEW]);
  assert.deepEqual(wholeSpan("other"), { from: 90_000, until: 99_000 });
  const { base, other } = diffRoute.peek();
  assert.deepEqual([base.from, base.until, other.from, other.until], ["1000", "5000", "90000", "99000"]);
});

test("ranges that are all of it are left out, and both places stay in every link", () => {
  const both = `bucket=old/bundle.json&bucket2=${NEW}`;
  assert.equal(href(initialRoute("diff")), `http://localhost/diff?${both}`);
  assert.equal(href(initialRoute("explore")), `http://localhost/explore?${both}`);
});

test("swapped sides swap their places, and one side alone is asked in its place", () => {
  go({ base: { from: "2000", until: "3000", filters: [] } });
  assert.deepEqual(timelineSpan("base"), { from: 1000, until: 5000 });
  swapSides();
  assert.deepEqual([placeOf("base"), placeOf("other")], [NEW, OLD]);
  assert.equal(new URL(location.href).searchParams.get("from2"), "2000");
  assert.equal(new URL(location.href).searchParams.get("bucket2"), "old/bundle.json");
  exploreSide("other");
  assert.equal(placeOf("base"), OLD);
  assert.deepEqual(exploreRoute.peek().base, { from: "2000", until: "3000", filters: [] });
  visit("home");
  assert.deepEqual(places.peek(), { base: "old/bundle.json", other: NEW });
});

test("what is no address is asked as it is, and so refused", () => {
  go(initialRoute("home"), "push", { base: "http://[x/", other: null });
  assert.equal(placeOf("base"), "http://[x/");
  assert.equal(placeName(placeOf("base")), "http://[x/");
  assert.equal(wholeSpan("base"), null);
});

test("without a second place both sides are of the first, in halves", async () => {
  go(initialRoute("diff"), "push", { base: "old/bundle.json", other: null });
  assert.equal(placeOf("other"), OLD);
  const { base, other } = initialRoute("diff");
  assert.deepEqual([base.from, base.until, other.from, other.until], ["1000", "3000", "3000", "5000"]);
  // What cannot be read has no times; its first question says why.
  go(initialRoute("home"), "push", { base: "none/bundle.json", other: null });
  await learnSpans(() => {});
  assert.equal(wholeSpan("base"), null);
  assert.equal(initialRoute("home").base.from, "now-1h");
});

test("places are called by the end of their addresses, as long as it takes to tell them apart", () => {
  assert.equal(placeName(OLD, NEW), "old");
  assert.equal(placeName("https://a.test/x/run%201/bundle.json", "https://a.test/y/run%201/bundle.json"), "x/run 1");
  assert.equal(placeName("https://a.test/bundle.json", "https://b.test/bundle.json"), "a.test");
  assert.equal(placeName("https://a.test/x/%ff/bundle.json"), "%ff");
  assert.equal(placeName(OLD, OLD), "localhost/old");
  assert.equal(placeName("", OLD), "this server");
});

test("a bundle is found by its folder, by a page of it, or by its description", () => {
  const found = (text: string) => bundleAddress(text)?.href ?? null;
  assert.equal(found(" old "), OLD);
  assert.equal(found("/old/"), OLD);
  assert.equal(found("old/bundle.json"), OLD);
  assert.equal(found("https://else.test/new/explore.html?s=a#x"), NEW);
  assert.equal(found("https://s3.test/b/t/team/?key=1"), "https://s3.test/b/t/team/?key=1");
  assert.equal(found(""), null);
  assert.equal(found("http://"), null);
  assert.equal(found("localhost:8000/run/"), null);
});

test("before and after a version are as long as each other, within the range and beside the next versions", () => {
  const minutes = (time: number) => time * 60_000;
  const marks = [1.1, 2, 3, 4, 9].map((time, i) => ({ time: minutes(time), text: `version ${i}` }));
  const of = (marks: Mark[], from: number, until: number) =>
    versionSides(marks, { from: minutes(from), until: minutes(until) }, ["region=eu"]);
  const times = ({ sides: { base, other } }: ReturnType<typeof of>[number]) =>
    [base.from, base.until, other.from, other.until].map((time) => Number(time) / minutes(1));
  const found = of(marks, 1, 5);
  assert.deepEqual(
    found.map((one) => [one.label, ...times(one)]),
    [
      ["Before and after version 3", 3, 4, 4, 5],
      ["Before and after version 2", 2, 3, 3, 4],
      ["Before and after version 1", 1.1, 2, 2, 2.9],
    ],
  );
  assert.deepEqual([found[0].sides.base.filters, found[0].sides.other.filters], [["region=eu"], ["region=eu"]]);
  assert.deepEqual(of(marks, 2, 3), [], "what begins with the range has no before");
  const same = [10, 40, 40].map((time) => ({
    time: minutes(time),
    text: String(time),
    sharedUntil: minutes(time + 1),
  }));
  assert.deepEqual(of(same, 0, 60).map(times)[0], [21, 40, 41, 60], "the newest, whatever began with it");
  // A step of both versions is on neither side.
  const shared = { time: minutes(5), text: "version 5", step: minutes(1), sharedUntil: minutes(6) };
  assert.deepEqual(of([shared], 2, 20).map(times), [[2, 5, 6, 9]]);
  assert.deepEqual(of([shared], 2, 6.1), [], "a moment is too short");
  assert.deepEqual(of([{ ...shared, isGone: true }], 2, 20), [], "after it others ran");
});
