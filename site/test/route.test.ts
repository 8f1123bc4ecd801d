import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page, Route } from "../src/state/url/route.ts";
import "./page.ts";

const { formatRoute, initialRoute, parsePage, parseRoute } = await import("../src/state/url/route.ts");
const { linkProblems } = await import("../src/state/url/linkproblems.ts");

const PAGES: Page[] = ["home", "explore", "diff", "file", "rules", "alerts"];

function roundTrip(state: Route): Route {
  const [address, fragment] = formatRoute(state).split("#");
  const [path, query = ""] = address.split("?");
  return parseRoute(path, query, fragment);
}

test("the initial state has a bare URL", () => {
  assert.deepEqual(
    PAGES.map((page) => formatRoute(initialRoute(page))),
    ["", "explore", "diff", "file", "rules", "alerts"],
  );
});

test("explore: everything survives the URL", () => {
  const state: Route = {
    ...initialRoute("explore"),
    service: "shop & café/checkout",
    type: "process_cpu:cpu:nanoseconds:cpu:nanoseconds",
    base: { from: "now-7d", until: "1700000000000", filters: ['region="eu"', 'path=~"/a b\\\\d+&x=1"', 'region="eu"'] },
    window: { from: 1700000000000, until: 1700000060000 },
    split: "k8s.pod & zone",
    panel: "labels",
    by: { label: "service_git_ref" },
    func: "orders.(*Rule).matchesPattern",
    view: "both",
    steps: ["focus:^a\\.\\(\\*B\\)\\.c$", "hide:x|y &z", "group:package", "recursion:direct", "hide:x|y &z"],
    invert: true,
    sandwich: "github.com/acme/shop.(*Svc).Place",
    wholeFile: true,
    graph: [0.35, 412, -20],
    zoom: "9f3a",
    extent: [0.25, 0.5000001],
    selection: "00ff",
    search: "/^main\\.(a|b)$/",
    sort: { column: "name", descending: false },
  };
  assert.deepEqual(roundTrip(state), state);
});

test("diff: both sides survive the URL", () => {
  const state: Route = {
    ...initialRoute("diff"),
    service: "checkout",
    base: { from: "now-2h", until: "now-1h", filters: ['version="1.1"'] },
    other: { from: "now-1h", until: "now", filters: ['version="1.2"', 'region!="us"'] },
    measure: "share",
    sort: { column: "delta", descending: true },
  };
  assert.deepEqual(roundTrip(state), state);
});

test("file: only the view goes into the URL", () => {
  const state: Route = {
    ...initialRoute("file"),
    embed: true,
    type: "inuse_space",
    compare: true,
    view: "table",
    search: "alloc",
  };
  assert.deepEqual(roundTrip(state), state);
  assert.equal(formatRoute(state), "file?t=inuse_space&v=table&q=alloc&m=compare&embed=1");
});

test("file: a profile on the server is part of the address, and of no other page's", () => {
  const state: Route = {
    ...initialRoute("file"),
    shares: ["20780-00112233445566778899aabbccddeeff", "20781-0"],
    view: "both",
  };
  assert.deepEqual(roundTrip(state), state);
  assert.equal(formatRoute(state), "file?share=20780-00112233445566778899aabbccddeeff&share=20781-0&v=both");
  assert.equal(formatRoute(parseRoute("explore", "share=20780-00&v=both")), "explore?v=both");
});

test("file: two parts of the time survive, and only where they can be compared", () => {
  const state: Route = {
    ...initialRoute("file"),
    steps: ["time:0.5-2", "tagfocus:region=^eu$", "tagroot:region"],
    against: [2, 3.25],
    idle: true,
  };
  assert.deepEqual(roundTrip(state), state);
  assert.equal(formatRoute({ ...state, steps: ["time:0.5-2"] }), "file?f=time:0.5-2&vs=2-3.25&idle=1");
  assert.equal(parsePage("file", "vs=2-3").against, null, "there is no first");
  assert.equal(formatRoute(parseRoute("explore", "f=time:0-1&vs=2-3")), "explore?f=time:0-1");
  assert.equal(parsePage("file", "f=time:0-1&vs=x").against, null);
});

test("file: addresses of profiles survive behind the #, by speedscope's names", () => {
  const addresses = [
    { url: "https://there.test/a b.pb.gz?x=1&y=2#z", title: "before & after" },
    { url: "/made/c.jfr", title: "" },
  ];
  const state: Route = { ...initialRoute("file"), view: "table", addresses };
  assert.deepEqual(roundTrip(state), state);
  const [untitled] = [{ ...state, addresses: [{ url: "/a.pb", title: "" }] }];
  assert.equal(formatRoute(untitled), "file?v=table#profileURL=%2Fa.pb");
  const asIn = (fragment: string) => parsePage("file", "", fragment).addresses;
  assert.deepEqual(asIn("#profileURL=%2Fa&title=b&profileURL=c"), [
    { url: "/a", title: "b" },
    { url: "c", title: "" },
  ]);
  assert.deepEqual(asIn("#profileURL=&localProfilePath=x"), []);
  assert.equal(formatRoute(parseRoute("explore", "", "#profileURL=/a")), "explore");
});

test("short names are a promise", () => {
  const state = parseRoute(
    "/explore",
    "?s=a&t=b&from=now-6h&until=now-1h&l=x%3D%22y%22&w=1-2&v=table&f=hide:a%7Cb&f=group:file&i=1&b=main.run&z=k&x=0.1-0.2&n=i&q=f&o=-total",
  );
  assert.deepEqual(state, {
    ...initialRoute("explore"),
    service: "a",
    type: "b",
    base: { from: "now-6h", until: "now-1h", filters: ['x="y"'] },
    window: { from: 1, until: 2 },
    view: "table",
    steps: ["hide:a|b", "group:file"],
    invert: true,
    sandwich: "main.run",
    zoom: "k",
    extent: [0.1, 0.2],
    selection: "i",
    search: "f",
    sort: { column: "total", descending: true },
  });
});

test("very small extents survive", () => {
  const state: Route = { ...initialRoute("explore"), extent: [1e-9, 0.00000012] };
  assert.deepEqual(roundTrip(state), state);
});

test("nonsense is as if absent", () => {
  const query =
    "?from=yesterday&until=-1&w=9-3&v=pie&x=0.5-0.1&o=sideways&norm=yes&l=&m=compare&i=yes&f=turn:a&f=focus:&f=focus&f=group:line";
  assert.deepEqual(parseRoute("explore", query), initialRoute("explore"));
});

test("paths: html names, slashes and unknown ones", () => {
  const pages = ["", "/", "/index.html", "explore.html", "/diff/", "file", "nowhere"].map(
    (p) => parseRoute(p, "").page,
  );
  assert.deepEqual(pages, ["home", "home", "home", "explore", "diff", "file", "home"]);
});

test("parameters that no page has are told, with the name that was meant", () => {
  assert.equal(linkProblems("explore", "?s=checkout&from=now-1h&l=a&l=b&utm_source=mail&gclid=1"), "");
  assert.equal(
    linkProblems("explore", "?service=checkout&from=now-1h"),
    'This link has a parameter that Pilotlight doesn\'t know: "service". Write "s" for "service".',
  );
  assert.match(linkProblems("explore", "?a=1&b=2&c=3"), /parameters that Pilotlight doesn't know: "a", "c"\.$/);
  // Each that a state writes is known.
  const state = parseRoute(
    "/explore",
    "?s=a&t=b&from=now-2h&until=now-1h&l=x&w=1-2&split=v&span=0123456789abcdef&p=labels&by=v&fn=f&v=table&f=hide:x&i=1&z=1&x=0.1-0.5&n=1&q=q&o=-total&norm=1",
  );
  assert.equal(linkProblems("explore", formatRoute(state).split("?")[1]), "");
});

test("values that a page does not understand are told, and so is a range that ends before it begins", () => {
  const problems = (query: string) => linkProblems("explore", query);
  assert.equal(problems("?s=checkout&from=yesterday"), 'Ignored an invalid value in the link: "from=yesterday".');
  assert.match(problems("?v=flmae&p=typos&trace=zz&i=yes"), /: "v=flmae", "p=typos", "trace=zz", "i=yes"\.$/);
  assert.match(linkProblems("diff", "?norm=bogus&from2=x"), /: "norm=bogus", "from2=x"\.$/);
  for (const page of ["explore", "diff", "file"] as const)
    assert.match(
      linkProblems(page, "?f=show_from:main&f=focus:a&f=foo:bar"),
      /^Ignored invalid values in the link: "f=show_from:main", "f=foo:bar"\. Filters are focus, .*show-from.*, time\.$/,
    );
  // What is the same as without it is understood, and ids are in any case.
  assert.equal(problems(`?v=flame&from=now-1h&until=now&trace=${"AB".repeat(16)}&o=-self&x=0-1`), "");
  assert.equal(problems("?from=2026-11-30T06:00:00Z&until=2026-11-30T10:40:00.5%2B02:00"), "");
  assert.equal(linkProblems("diff", "?from2=2026-11-30T06:00:00Z&until2=2026-11-30T07:00Z"), "");
  assert.match(problems("?from=now-1h&until=now-2h"), /ends before it begins/);
  assert.match(linkProblems("home", "?from=2000&until=1000"), /ends before it begins/);
  assert.equal(linkProblems("diff", "?s=a&from=1000&until=2000&from2=2000&until2=3000&m=compare"), "");
});
