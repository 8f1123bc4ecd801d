import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { Boxes, Flag, WORDS } from "../src/core/boxes.ts";
import type { TableRow, TreeInfo } from "../src/core/types.ts";
import type { Picture } from "../src/flame/paint.ts";
import { IDENTITY } from "../src/flame/transform.ts";
import { engine, idle } from "./page.ts";

const { base64Of, bytesOf, fromUrlSafe, urlSafe } = await import("../src/core/encoding.ts");
const { writeCsv } = await import("../src/export/tablecsv.ts");
const { linkOf } = await import("../src/export/profilelink.ts");
const { fillTemplate, viewOf } = await import("../src/export/page.ts");
const { drawSvg } = await import("../src/export/svg.ts");
const { visit, go, pictureRoute } = await import("../src/state/url/router.ts");
const { files } = await import("../src/state/profile/files.ts");
const { failures } = await import("../src/state/profile/opening.ts");
const { openLinked } = await import("../src/state/profile/linked.ts");

const TREE = {
  id: 1,
  nodes: 4,
  depth: 3,
  unit: "nanoseconds",
  type: "cpu",
  total: 4e9,
  total_exact: "4000000000",
  diff: null,
} as TreeInfo;
const DIFF = {
  base: 4e9,
  comparison: 2e9,
  base_exact: "4000000000",
  comparison_exact: "2000000000",
  normalised_to: null,
};

function picture(boxes: number[][], more: Partial<Picture> = {}): Picture {
  const words = new Uint32Array(boxes.length * WORDS);
  const floats = new Float32Array(words.buffer);
  for (const [i, [x, width, depth, node, flags]] of boxes.entries()) {
    words.set([0, 0, depth, node, 0, flags], i * WORDS);
    floats.set([x, width], i * WORDS);
  }
  return {
    boxes: new Boxes(words),
    names: new Map([
      [0, "total 4 s"],
      [1, "a<b> & \u0001c"],
    ]),
    transform: IDENTITY,
    width: 200,
    height: 60,
    scroll: 0,
    first: 0,
    flipped: false,
    diff: false,
    selected: 1,
    current: -1,
    pointed: -1,
    focused: false,
    ...more,
  };
}

const PEN = {
  palette: {
    hues: new Array<string>(256).fill("hue"),
    grey: "grey",
    run: "run",
    runs: new Array<string>(256).fill("paler"),
    diff: new Array<string>(201).fill("diff"),
    ink: "ink",
    paper: "paper",
    accent: "accent",
    focus: "focus",
    thumb: "thumb",
  },
  plain: (colour: string) => `#${colour}`,
  measure: (text: string) => text.length * 6,
};

test("a drawing has each box with its name, and its cost as a title", () => {
  const drawn = picture([
    [0, 200, 0, 0, 0],
    [0, 150, 1, 1, 0],
    [150, 0.5, 1, 2, Flag.Run],
  ]);
  const captions = { names: ["total", "a<b> & \u0001c", "d"], totals: [4e9, 0, 3e9, 0, 1e7, 0] };
  const svg = drawSvg("shop · cpu", TREE, drawn, captions, PEN);
  assert.equal(svg.match(/<g>/g)?.length, 3);
  assert.match(svg, /<text x="5" y="13" fill="#ink">shop · cpu<\/text>\n<g transform="translate\(0 18\)">/);
  assert.match(
    svg,
    /<title>a&lt;b&gt; &amp; \ufffdc\n3 s · 75 %<\/title><rect x="0" y="20" width="149" height="19" fill="#hue"\/>/,
  );
  assert.match(svg, /<text x="5" y="34" fill="#ink">a&lt;b&gt; &amp; \ufffdc<\/text>/);
  assert.match(svg, /<title>several frames, the largest: d\n10 ms · 0.3 %<\/title><rect x="150" y="20" width="0.5"/);
  assert.equal(svg.match(/stroke="#accent"/g)?.length, 1, "the selected one");
  assert.doesNotMatch(svg, /<pattern/);
});

test("a drawing of a comparison marks what is new, and dims what the search does not mean", () => {
  const drawn = picture(
    [
      [0, 200, 0, 0, Flag.Searching],
      [0, 150, 1, 1, Flag.New | Flag.Searching | Flag.Match],
    ],
    { diff: true, selected: -1 },
  );
  const captions = { names: ["total", "fresh"], totals: [4e9, 2e9, 0, 1e9] };
  const svg = drawSvg("", { ...TREE, diff: DIFF }, drawn, captions, PEN);
  assert.match(svg, /<text x="5" y="13" fill="#ink">Blue is less, orange is more;<\/text>/);
  assert.match(svg, /<title>total\n4 s → 2 s −50 %<\/title><rect [^>]*fill="#diff" opacity="0.22"\/>/);
  assert.match(svg, /<title>fresh\n0 → 1 s new<\/title><rect [^>]*fill="#diff"\/><rect [^>]*fill="url\(#new\)"\/>/);
});

test("a table as CSV keeps names whole, and none of them is a formula", () => {
  const row = (name: string, self: number, total: number) => ({ name, file: "", self, total, diff: null }) as TableRow;
  const rows = [row('say "a, b"', 3, 2 ** 50), row("=cmd|' /C calc'!A0", 1, 1), row("-[NSObject init]", 0, 5)];
  assert.equal(
    writeCsv(TREE, rows, "function"),
    [
      "function,file,self (nanoseconds),total (nanoseconds)",
      '"say ""a, b""",,3,1125899906842624',
      "'=cmd|' /C calc'!A0,,1,1",
      "'-[NSObject init],,0,5",
      "",
    ].join("\r\n"),
  );
  const diff = { base_self: 3, base_total: 5, comparison_self: 0, comparison_total: 2, state: "same" as const };
  assert.equal(
    writeCsv({ ...TREE, diff: DIFF }, [{ ...row("f", 1, 7), file: "f.go", diff }], "function"),
    "function,file,baseline total (nanoseconds),comparison total (nanoseconds),change (nanoseconds),baseline self (nanoseconds),comparison self (nanoseconds),self change (nanoseconds)\r\nf,f.go,5,2,-3,3,0,-3\r\n",
  );
  const noise = {
    base_self: 0,
    base_total: 100 / 14,
    comparison_self: 0,
    comparison_total: 400 / 14,
    state: "same" as const,
  };
  assert.match(
    writeCsv({ ...TREE, unit: "%", diff: DIFF }, [{ ...row("f", 1, 7), diff: noise }], "function"),
    /,7\.142857142857,28\.57142857143,21\.42857142857,/,
  );
  const shares = { base_self: 0, base_total: 47.5, comparison_self: 0, comparison_total: 50, state: "same" as const };
  assert.equal(
    writeCsv({ ...TREE, unit: "%", diff: DIFF }, [{ ...row("f", 1, 7), diff: shares }], "function"),
    "function,file,baseline total (%),comparison total (%),change (percentage points),baseline self (%),comparison self (%),self change (percentage points)\r\nf,,47.5,50,2.5,0,0,0\r\n",
  );
  assert.equal(
    writeCsv({ ...TREE, type: "samples", unit: "count/1000" }, [row("f", 50_500, 205_500)], "function"),
    "function,file,self (samples),total (samples)\r\nf,,50.5,205.5\r\n",
  );
  assert.equal(
    writeCsv(TREE, [row("net/http", 1, 7)], "package"),
    "package,self (nanoseconds),total (nanoseconds)\r\nnet/http,1,7\r\n",
  );
});

test("bytes as text, also in an address", async () => {
  const bytes = Uint8Array.from({ length: 70_001 }, (_, i) => (i * 37) % 256);
  const base64 = base64Of(bytes);
  assert.equal(base64, Buffer.from(bytes).toString("base64"));
  assert.match(urlSafe(base64), /^[\w-]+$/);
  assert.deepEqual(bytesOf(fromUrlSafe(urlSafe(base64))), bytes);
  assert.throws(() => bytesOf("no base64!"), DOMException);
});

test("a page that stands alone takes what is seen, whatever the names are", async () => {
  const place = '<script type="application/json" id="embedded">';
  const template = `<body>${place}</script><script>const at = '${place}';</script>`;
  const embedded = {
    view: "?v=table",
    profiles: [
      { name: "</script><b>$&", base64: "AAAA" },
      { name: "b", base64: "BBBB" },
    ],
  };
  const inAscii = embedded.profiles.map(({ name, base64 }) => ({ name, base64: new TextEncoder().encode(base64) }));
  const page = await new Blob(fillTemplate(template, embedded.view, inAscii)).text();
  const [, json] = /id="embedded">(.*?)<\/script>/.exec(page) ?? [];
  assert.deepEqual(JSON.parse(json), embedded);
  assert.ok(page.endsWith(`</script><script>const at = '${place}';</script>`), "the place is the first");
  assert.throws(() => fillTemplate("<html>a page of somebody else</html>", embedded.view, []), /no place/);
});

test("what is seen elsewhere: filters stay in the address but for parts of the time", () => {
  visit("file", { view: "sandwich", sandwich: "main", invert: true });
  const view = viewOf(TREE, ["time:0-1", "hide:a"]);
  assert.deepEqual([view.view, view.sandwich, view.invert, view.steps], ["sandwich", "main", true, ["hide:a"]]);
});

test("a link holds the profile, shows the same, and opens once", async () => {
  const opened: string[] = [];
  const gzipped = gzipSync(new Uint8Array([1, 2, 3]));
  engine.exportBase64 = () => new TextEncoder().encode(gzipped.toString("base64"));
  engine.open = async (name: string, bytes: Uint8Array<ArrayBuffer>) => {
    const zipped = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    opened.push(`${name}: ${new Uint8Array(await new Response(zipped).arrayBuffer())}`);
    return { id: opened.length, name, types: [], default_type: 0, warnings: [] };
  };
  visit("file", { view: "table", search: "json", zoom: "abc" });
  const link = new URL(await linkOf(TREE, { id: 7, name: "a b&c.pb.gz" }));
  assert.equal(link.search, "?t=cpu&v=table&z=abc&q=json");
  assert.match(link.hash, /^#p=[\w-]+&title=a%20b%26c.pb.gz$/);

  location.href = link.href;
  go({ view: "table" }, "replace");
  assert.equal(location.hash, link.hash, "the view changes, the profile stays");
  await openLinked();
  await openLinked();
  await idle();
  assert.deepEqual(opened, ["a b&c.pb.gz: 1,2,3"]);
  assert.equal(files.value.length, 1);
  assert.equal(pictureRoute.value.zoom, "abc", "what is seen is what the link says");

  location.hash = "#p=cut off?&title=x";
  await openLinked();
  assert.equal(failures.value.length, 1);
  assert.match(failures.value[0].meaning, /incomplete/);
  visit("home");
  assert.equal(location.hash, "", "another page has nothing of it");
});
