/** Source lines, the call graph and the minimap, read as a screen reader does. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { drawnFrames, drop, launch, openPage, own, settled } from "./page.mjs";
import { callTree, functionsOf, readPprof, writePprof } from "./pprof.mjs";

const FILE = own("checkout-1.8.2.pb.gz");
const CPU = 1;

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

async function opened(file, path = "/file") {
  const page = await openPage(browser, path);
  await page.at("dropzone").waitFor({ state: "attached" });
  await drop(page.page, file);
  return page;
}

test("a search in the call tree marks its matches and goes through them by rows", async () => {
  writeFileSync(own("tree-search.folded"), "main;a;hit_small 10\nmain;b;hit_large 60\nmain;c 30\n");
  const { page, at, end } = await opened(own("tree-search.folded"));
  await drawnFrames(page, 100);
  await page.keyboard.press("4");
  await at("treeitem").nth(3).waitFor();
  await at("search").fill("hit");
  for (const name of ["hit_large", "hit_small"]) {
    await page.keyboard.press("Enter");
    await page.locator("[role=treeitem][data-match=true][data-active=true]", { hasText: name }).waitFor();
  }
  const dimmed = page.locator("[role=treeitem][data-match=false]");
  await page.waitForFunction(() => document.querySelectorAll("[role=treeitem][data-match=false]").length === 5);
  assert.deepEqual(await dimmed.locator(".name").allTextContents(), ["total", "main", "b", "c", "a"]);
  await end();
});

test("a search in the call tree unfolds its heaviest match while it is typed", async () => {
  const others = Array.from({ length: 60 }, (_, i) => `main;other_${i} 100\n`).join("");
  writeFileSync(own("tree-typed.folded"), `main;a;b;hit_small 9\nmain;a;c 200\nmain;d;e;hit_large 60\n${others}`);
  const { page, at, end } = await opened(own("tree-typed.folded"), "/file?v=tree");
  await at("treeitem").nth(3).waitFor();
  const shown = (name) => page.locator("[role=treeitem][data-match=true][data-active=true]", { hasText: name });
  await at("search").pressSequentially("hit_");
  await shown("hit_large").waitFor();
  assert.ok(await shown("hit_large").evaluate((row) => row.getBoundingClientRect().bottom <= innerHeight));
  assert.match(await at("search-result").textContent(), /^2 frames · /);
  // Enter means what is shown, and then the next one.
  for (const [name, place] of [
    ["hit_large", /^2 of 2 frames/],
    ["hit_small", /^1 of 2 frames/],
  ]) {
    await page.keyboard.press("Enter");
    await shown(name).waitFor();
    await at("search-result").filter({ hasText: place }).waitFor();
  }
  await at("search").fill("other_1");
  await page.keyboard.press("Shift+Enter");
  await at("search-result")
    .filter({ hasText: /^11 of 11 frames/ })
    .waitFor();
  await end();
});

test("deep rows of the call tree have room for their names on a phone", async () => {
  const callers = Array.from({ length: 20 }, (_, i) => `caller_${i}`).join(";");
  writeFileSync(own("tree-deep.folded"), `${callers};hit 10\nmain 1\n`);
  const { page, at, end } = await opened(own("tree-deep.folded"), "/file?v=tree");
  await page.setViewportSize({ width: 390, height: 844 });
  await at("search").fill("hit");
  const hit = page.locator("[data-active=true] .base", { hasText: "hit" });
  await hit.waitFor();
  const [name, figures] = await Promise.all(
    [hit, page.locator("[data-active=true] .num").first()].map((part) => part.boundingBox()),
  );
  assert.ok(name.width > 10 && name.x + name.width <= figures.x, JSON.stringify([name, figures]));
  const room = await page.locator("[data-active=true] .parts").boundingBox();
  assert.ok(room.width >= 48, `${room.width} pixels`);
  await end();
});

test("functions of one name are told apart by their files, others have none", async () => {
  const stacks = ["main@/cmd/main.go:1;run@/svc/orders.go:3 60", "main@/cmd/main.go:1;run@/svc/carts.go:3 40"];
  writeFileSync(own("namesakes.pb"), writePprof("cpu", "count", stacks));
  const { page, at, end } = await opened(own("namesakes.pb"), "/file?v=table");
  await at("row").nth(2).waitFor();
  const names = await page.$$eval("[data-testid=row] .name", (cells) =>
    cells.map((cell) => [...cell.children].map((part) => part.textContent).join(" | ")),
  );
  assert.deepEqual(names, ["run | orders.go", "run | carts.go", "main"]);
  await at("explain-button").click();
  await at("explain-copy").waitFor();
  const [self] = await at("explain-functions").allTextContents();
  assert.equal(self, "runorders.go60 %runcarts.go40 %");
  await end();
});

describe("source lines", () => {
  const STACKS = [
    "main@/shop/main.go:3;place@/shop/orders.go:10;sum@/shop/orders.go:20 50",
    "main@/shop/main.go:3;place@/shop/orders.go:11 20",
    "main@/shop/main.go:4;place@/shop/orders.go:10;place@/shop/orders.go:12 6",
    "main@/shop/main.go:4;idle 24",
  ];
  const profile = () => {
    writeFileSync(own("lines.pb"), writePprof("cpu", "count", STACKS));
    return own("lines.pb");
  };
  /** Line, self, total and text of each row in view. */
  const rows = async (page) =>
    (
      await page.$$eval("[data-testid=line]", (rows) => rows.map((row) => [...row.children].map((c) => c.textContent)))
    ).map((cells) => cells.map((text) => text.replace(/\s+/g, " ").trim()).join(" | "));
  const shows = async (page, expected) => {
    await page.waitForFunction(
      (count) => document.querySelectorAll("[data-testid=line]").length === count,
      expected.length,
    );
    await settled(page);
    assert.deepEqual(await rows(page), expected);
  };

  test("of a function and of its file, without and with the source", async () => {
    const { page, at, end } = await opened(profile());
    await drawnFrames(page, 100);
    await page.keyboard.press("7");
    // Nobody has chosen a function: it begins with the heaviest.
    await page.waitForURL(/[?&]n=/);
    await at("row").filter({ hasText: "place" }).click();
    const place = ["10 | 0 0 % | 56 56 % | place", "11 | 20 20 % | 20 20 % | place", "12 | 6 6 % | 6 6 % | place"];
    await shows(page, place);
    assert.match(page.url(), /v=lines/);

    await at("whole-file").click();
    await shows(page, [...place, "20 | 50 50 % | 50 50 % | sum"]);
    assert.match(page.url(), /lb=file/);
    await at("whole-file").click();

    writeFileSync(own("other.go"), "package other\n");
    writeFileSync(own("orders.go"), Array.from({ length: 13 }, (_, i) => `line ${i + 1} <b>\n`).join(""));
    await at("source-file").setInputFiles(own("other.go"));
    await page.getByText("other.go is not the source file orders.go").waitFor();
    await drop(page, own("orders.go"));
    await at("line").filter({ hasText: "line 13 <b>" }).waitFor();
    const shown = await rows(page);
    assert.equal(shown[9], "10 | 0 0 % | 56 56 % | line 10 <b>");
    assert.equal(shown[12], "13 |  |  | line 13 <b>");

    await at("row").filter({ hasText: "idle" }).click();
    await at("lines").filter({ hasText: "no line numbers" }).waitFor();
    await end();
  });

  test("after steps, by keyboard, and as CSV", async () => {
    const { page, at, end } = await opened(profile(), "/file?v=lines&f=ignore:idle");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await at("row").filter({ hasText: "main" }).click();
    const main = ["3 | 0 0 % | 70 92.1 % | main", "4 | 0 0 % | 6 7.9 % | main"];
    await shows(page, main);
    await at("line").first().focus();
    await page.keyboard.press("ArrowDown");
    assert.equal(await page.evaluate(() => document.activeElement.dataset.line), "4");
    await at("copy-lines").click();
    await page.getByText("Copied the lines as CSV").waitFor();
    const csv = await page.evaluate(() => navigator.clipboard.readText());
    assert.equal(
      csv.replace(/\r/g, ""),
      "line,function,self (count),total (count),source\n3,main,0,70,\n4,main,0,6,\n",
    );
    await end();
  });
});

describe("call graph", () => {
  let profile;
  before(() => {
    profile = readPprof(FILE);
  });

  const tables = async ({ page, at }) => {
    await at("graph-node").first().waitFor();
    return page.evaluate(() => {
      const rows = (id) => [...document.querySelectorAll(`[data-testid=${id}] tbody tr`)];
      return {
        functions: rows("graph-functions").map((row) => ({
          name: row.cells[0].textContent,
          total: Number(row.dataset.total),
          self: Number(row.dataset.self),
        })),
        calls: rows("graph-calls").map((row) => ({
          from: row.cells[0].textContent,
          to: row.cells[1].textContent,
          total: Number(row.dataset.total),
          residual: row.dataset.residual === "true",
        })),
      };
    });
  };

  /** The calls between some functions: each counts once a sample. */
  function callsBetween(samples, kept) {
    const calls = new Map();
    for (const { stack, values } of samples) {
      const seen = new Set();
      const stays = stack.flatMap((name, i) => (kept.has(name) ? [i] : []));
      for (const [i, at] of stays.entries()) {
        const next = stays[i + 1];
        if (next === undefined || stack[at] === stack[next]) continue;
        const key = `${stack[at]} → ${stack[next]}`;
        if (seen.has(key)) continue;
        seen.add(key);
        const call = calls.get(key) ?? { total: 0, residual: false };
        call.total += values[CPU];
        call.residual ||= next > at + 1;
        calls.set(key, call);
      }
    }
    return calls;
  }

  function check({ functions, calls }, samples) {
    const all = new Map(functionsOf({ samples }, CPU).map((row) => [row.name, row]));
    const whole = callTree({ samples }, CPU).total;
    for (const { name, self, total } of functions)
      assert.deepEqual({ self, total }, { self: all.get(name).self, total: all.get(name).total }, name);
    const large = [...all.values()].filter(({ total }) => total >= whole * 0.005);
    assert.equal(functions.length, Math.min(large.length, 80));
    const expected = callsBetween(samples, new Set(functions.map(({ name }) => name)));
    for (const { from, to, total, residual } of calls)
      assert.deepEqual({ total, residual }, expected.get(`${from} → ${to}`), `${from} → ${to}`);
    const drawn = new Set(calls.map(({ from, to }) => `${from} → ${to}`));
    for (const [key, { total, residual }] of expected)
      if (!residual && total >= whole * 0.001) assert.ok(drawn.has(key), `${key} is not drawn`);
  }

  test("has the functions and calls of the profile, also after steps", async () => {
    const window = await opened(FILE);
    const { page, end } = window;
    const whole = callTree(profile, CPU).total;
    await drawnFrames(page, whole);
    await page.keyboard.press("8");
    const found = await tables(window);
    check(found, profile.samples);
    const name = found.functions.find(({ total }) => total < whole * 0.6 && total > whole * 0.1).name;
    const pattern = `^${name.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}$`;
    const link = `/file?v=graph&f=${encodeURIComponent(`focus:${pattern}`)}`;
    await end();
    const focused = await opened(FILE, link);
    const samples = profile.samples.filter(({ stack }) => stack.includes(name));
    check(await tables(focused), samples);
    await focused.end();
  });

  test("is walked along calls, selected in, searched and moved", async () => {
    const window = await opened(FILE, "/file?v=graph");
    const { page, at, end } = window;
    const { functions, calls } = await tables(window);
    await at("graph-drawing").focus();
    await page.keyboard.press("ArrowDown");
    const heaviest = functions[0].name;
    const says = (name) =>
      page.waitForFunction(
        (name) => document.querySelector("[data-testid=graph-current]").textContent.startsWith(`${name}, total `),
        name,
      );
    await says(heaviest);
    const callee = calls.find(({ from }) => from === heaviest).to;
    await page.keyboard.press("ArrowDown");
    await says(callee);
    await page.keyboard.press("ArrowUp");
    await says(calls.find(({ to }) => to === callee).from);
    await page.keyboard.press(" ");
    await page.waitForFunction(
      (name) => document.querySelector("[data-testid=drawer-name]")?.textContent === name,
      calls.find(({ to }) => to === callee).from,
    );
    await page.keyboard.press("Escape");

    await page.keyboard.press("/");
    await at("search").fill(callee);
    await at("search-result").filter({ hasText: "frame" }).waitFor();
    const matching = functions.filter(({ name }) => name.toLowerCase().includes(callee.toLowerCase()));
    await page.waitForFunction(
      (count) => document.querySelectorAll("[data-testid=graph-node][data-match=true]").length === count,
      matching.length,
    );
    await at("search").fill("");
    await page.keyboard.press("Escape");

    await at("graph-drawing").focus();
    await page.keyboard.press("+");
    await page.waitForURL(/[?&]g=/);
    const transform = () => at("graph-drawing").locator("> g").getAttribute("transform");
    const closer = await transform();
    const box = await at("graph-drawing").boundingBox();
    await page.mouse.move(box.x + 40, box.y + box.height - 80);
    await page.mouse.down();
    await page.mouse.move(box.x + 100, box.y + box.height - 100, { steps: 4 });
    await page.mouse.up();
    assert.notEqual(await transform(), closer);
    await at("graph-fit").click();
    const outside = await at("graph-drawing").evaluate((svg) => {
      const all = svg.getBoundingClientRect();
      const boxes = [...svg.querySelectorAll("[data-testid=graph-node]")].map((node) => node.getBoundingClientRect());
      return boxes.filter(
        ({ left, right, top, bottom }) => left < all.left || right > all.right || top < all.top || bottom > all.bottom,
      ).length;
    });
    assert.equal(outside, 0, "all of it is in sight");
    await settled(page);

    const node = at("graph-node")
      .filter({ has: page.locator("title", { hasText: callee }) })
      .first();
    await node.click();
    await at("drawer").waitFor();
    assert.equal(await at("drawer-name").textContent(), callee);
    assert.match(page.url(), /[?&]n=/);
    // One that is chosen elsewhere comes into view next to the drawer.
    const tops = [];
    for (const view of ["table", "tree", "sandwich", "lines", "graph"]) {
      await at(`view-${view}`).click();
      await page.locator(`.views.${view}, .views.both`).first().waitFor();
      tops.push((await page.locator(".views").boundingBox()).y);
      if (view === "table") await at("row").filter({ hasText: "syscall.Syscall6" }).first().click();
    }
    assert.equal(new Set(tops).size, 1, "the picture stays where it is from view to view");
    await page.locator(".node.selected").waitFor();
    await settled(page);
    const [chosen, drawer] = [await page.locator(".node.selected").boundingBox(), await at("drawer").boundingBox()];
    assert.ok(chosen.x + chosen.width <= drawer.x || chosen.x >= drawer.x + drawer.width, "no drawer lies over it");
    await end();
  });

  test("of two files has both sides", async () => {
    const write = (name, lines) => {
      writeFileSync(own(name), lines.join("\n"));
      return own(name);
    };
    const page = await openPage(browser, "/file?m=compare&norm=0");
    await page.at("dropzone").waitFor({ state: "attached" });
    await drop(
      page.page,
      write("graph-a.txt", ["main;f 30", "main;g 10"]),
      write("graph-b.txt", ["main;f 20", "main;h 40"]),
    );
    await page.at("compare").click();
    await drawnFrames(page.page, 100);
    await page.page.keyboard.press("8");
    await page.at("graph-node").first().waitFor();
    const rows = await page.page.$$eval("[data-testid=graph-calls] tbody tr", (rows) =>
      rows.map((row) => [...row.cells].map((cell) => cell.textContent).join(" ")),
    );
    assert.deepEqual(rows.sort(), ["main f 30 → 20 −33.3 %", "main g 10 → 0 gone", "main h 0 → 40 new"]);
    assert.equal(await page.at("view-lines").count(), 0, "a comparison has no lines");
    await page.end();
  });
});

describe("minimap", () => {
  const small = () => {
    writeFileSync(own("minimap.txt"), "main;a;b 50\nmain;a;c 30\nmain;d 20\n");
    return own("minimap.txt");
  };
  const text = ({ at }) => at("minimap-window").getAttribute("aria-valuetext");
  const says = async (window, expected) => {
    await settled(window.page);
    assert.equal(await text(window), expected);
  };

  test("is there when not all is seen, and moves what is seen", async () => {
    const window = await opened(small());
    const { page, at, end } = window;
    await drawnFrames(page, 100);
    assert.equal(await at("minimap").count(), 0, "all is seen");
    const canvas = await at("flame").boundingBox();
    // The frame of c: half to eight tenths of the width, fourth row.
    await page.mouse.dblclick(canvas.x + canvas.width * 0.65, canvas.y + 70);
    await at("minimap-window").waitFor();
    await says(window, "50 % to 80 % of the full width");
    await at("minimap-window").focus();
    await page.keyboard.press("ArrowRight");
    await says(window, "53 % to 83 % of the full width");
    await page.keyboard.press("End");
    await says(window, "70 % to 100 % of the full width");
    await page.keyboard.press("Home");
    await says(window, "0 % to 30 % of the full width");

    const strip = await at("minimap").boundingBox();
    const drawn = await at("minimap").locator("canvas").boundingBox();
    assert.deepEqual([drawn.width, drawn.x], [strip.width, strip.x], "the small picture fills its strip");
    const y = strip.y + strip.height / 2;
    const x = (part) => strip.x + strip.width * part;
    await page.mouse.move(x(0.15), y);
    await page.mouse.down();
    await page.mouse.move(x(0.35), y, { steps: 5 });
    await page.mouse.up();
    await says(window, "20 % to 50 % of the full width");
    await page.mouse.move(x(0.5), y);
    await page.mouse.down();
    await page.mouse.move(x(0.9), y, { steps: 5 });
    await page.mouse.up();
    await says(window, "20 % to 90 % of the full width");
    await page.waitForURL(/[?&]x=0\.2/);

    await page.getByRole("button", { name: "Reset (0)" }).click();
    await at("minimap").waitFor({ state: "detached" });
    await end();
  });

  test("of a deep tree scrolls it", async () => {
    const deep = Array.from({ length: 200 }, (_, i) => `f${i}`).join(";");
    writeFileSync(own("deep.txt"), `${deep} 5\n`);
    const window = await opened(own("deep.txt"));
    const { page, at, end } = window;
    await drawnFrames(page, 5);
    await at("minimap-window").waitFor();
    assert.equal(await text(window), "0 % to 100 % of the full width");
    const strip = await at("minimap").boundingBox();
    await page.mouse.click(strip.x + strip.width / 2, strip.y + strip.height - 3);
    await page.waitForFunction(() =>
      [...document.querySelectorAll("[data-testid=frames] th")].some(({ textContent }) => textContent === "f199"),
    );
    await end();
  });
});
