import assert from "node:assert/strict";
import { test } from "node:test";
import { Boxes, Flag } from "../src/core/boxes.ts";
import { type Extent, FULL, fit, pan, zoomAt } from "../src/flame/extent.ts";
import { baseName, fitLabel, sumOfCharacters } from "../src/flame/framelabel.ts";
import { between, showing } from "../src/flame/transform.ts";

const close = (actual: Extent, expected: Extent) =>
  assert.ok(
    Math.abs(actual[0] - expected[0]) < 1e-12 && Math.abs(actual[1] - expected[1]) < 1e-12,
    `${actual} is not ${expected}`,
  );

test("zooming keeps the point under the pointer in place", () => {
  close(zoomAt(FULL, 0.5, 0.5), [0.25, 0.75]);
  close(zoomAt(FULL, 0, 0.5), [0, 0.5]);
  close(zoomAt([0.25, 0.75], 0.2, 0.5), [0.3, 0.55]);
});

test("the extent never leaves the frame, however far one zooms or pans", () => {
  close(zoomAt([0.4, 0.6], 0.9, 100), FULL);
  close(pan([0.2, 0.4], -5), [0, 0.2]);
  close(pan([0.2, 0.4], 5), [0.8, 1]);
  const [x0, x1] = zoomAt([0.5, 0.5 + 2e-9], 0.5, 1e-6);
  assert.ok(x1 - x0 >= 0.99e-9);
});

test("fitting shows what was between two points, with air", () => close(fit([0.5, 1], 0.5, 0.6), [0.7475, 0.8025]));

test("a transform maps the shown window to the viewport", () => {
  const { scale, shift } = showing(100, 300, 1000);
  assert.deepEqual([100 * scale + shift, 300 * scale + shift], [0, 1000]);
  assert.deepEqual(between([0, 1000], [100, 300], 0, 1000), showing(0, 1000, 1000));
  assert.deepEqual(between([0, 1000], [100, 300], 1, 1000), showing(100, 300, 1000));
});

test("labels: the whole, the name without its path, a part, nothing", () => {
  const measure = (text: string) => text.length * 6;
  const name = "github.com/acme/orders.(*Svc).Place";
  const cases: [pixels: number, expected: string][] = [
    [300, name],
    [130, "orders.(*Svc).Place"],
    [60, "orders.(*…"],
    [18, "or…"],
    [12, ""],
  ];
  for (const [pixels, expected] of cases) {
    const label = fitLabel(name, pixels, measure);
    assert.equal(label, expected);
    assert.ok(measure(label) <= pixels);
  }
});

test("a text is as wide as its characters, each measured once", () => {
  const measured: string[] = [];
  const measure = sumOfCharacters((character) => measured.push(character) && (character === "i" ? 3 : 10));
  assert.equal(measure("min"), 23);
  assert.equal(measure("mini😀"), 36);
  assert.deepEqual(measured, ["m", "i", "n", "😀"]);
});

test("base names keep brackets whole", () => {
  const cases: [name: string, expected: string][] = [
    ["main", "main"],
    ["a/b/c.F", "c.F"],
    ["x/btree.(*T[github.com/y/z.Item]).Get", "btree.(*T[github.com/y/z.Item]).Get"],
    ["std::fmt::write<a/b>", "fmt::write<a/b>"],
    ["alloc::vec::Vec<T>::push", "Vec<T>::push"],
    ["tokio::runtime::task::raw::poll", "raw::poll"],
    ["llvm::sys::Process::GetRandomNumber(int, a::b::c)", "Process::GetRandomNumber(int, a::b::c)"],
    ["<a::b::T as c::D>::run", "<a::b::T as c::D>::run"],
    ["Mutex::lock", "Mutex::lock"],
    ["::global", "::global"],
    ["/usr/lib/libc.so", "libc.so"],
    ["trailing/", "trailing/"],
    ["org.apache.lucene.search.TopScoreDocCollector$1.collect", "TopScoreDocCollector$1.collect"],
    ["java.util.concurrent.ThreadPoolExecutor.run", "ThreadPoolExecutor.run"],
    ["net.Dial", "net.Dial"],
    ["os.path.join", "os.path.join"],
  ];
  for (const [name, expected] of cases) assert.equal(baseName(name), expected);
});

test("boxes are read from six words each", () => {
  const words = new Uint32Array(12);
  new Float32Array(words.buffer).set([1.5, 20.25], 0);
  words.set([3, 7, 200, Flag.Match | Flag.Searching], 2);
  new Float32Array(words.buffer).set([21.75, 2], 6);
  words.set([3, 9, 256, Flag.Run], 8);
  const boxes = new Boxes(words);
  assert.equal(boxes.count, 2);
  assert.deepEqual(boxes.at(0), { x: 1.5, width: 20.25, depth: 3, node: 7, paint: 200, flags: 66 });
  assert.deepEqual(boxes.at(1), { x: 21.75, width: 2, depth: 3, node: 9, paint: 256, flags: 1 });
  assert.deepEqual([boxes.find(9), boxes.find(8)], [1, -1]);
});
