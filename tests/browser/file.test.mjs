/** Profiles from the disk: opened, read, zoomed, searched, merged, compared, and never sent anywhere. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { amount, close, drawnFrames, drop, launch, middleOf, openPage, own, sending, settled, url } from "./page.mjs";
import { callTree, functionsOf, nodesOf, readPprof, together, writeKinds } from "./pprof.mjs";

const FILES = { before: own("checkout-1.8.2.pb.gz"), after: own("checkout-1.9.0.pb.gz") };
/** CPU nanoseconds, in Go's profiles the second column and the one shown first. */
const CPU = 1;

/** A CPU profile that Go's own agent took, where it is at hand; else one made in its likeness. */
function goProfile() {
  const recorded = new URL("../../../shared/corpus/agents/go142/013", import.meta.url).pathname;
  if (!existsSync(`${recorded}.body`)) {
    console.log("skipped: corpus not found; a profile of our own stands in");
    return FILES.before;
  }
  const body = readFileSync(`${recorded}.body`);
  const start = body.indexOf("\r\n\r\n") + 4;
  const boundary = body.subarray(0, body.indexOf("\r\n"));
  const path = own("recorded-go-cpu.pb.gz");
  writeFileSync(path, body.subarray(start, body.indexOf(Buffer.concat([Buffer.from("\r\n"), boundary]), start)));
  return path;
}

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

/** A test on a page that has been given files; at the end nothing may have been sent. */
function onFiles(name, files, run) {
  test(name, async () => {
    const opened = await openPage(browser, "/");
    const { page, requests } = opened;
    await page.getByTestId("dropzone").waitFor({ state: "attached" });
    const first = requests.length;
    await drop(page, ...files());
    await run(opened);
    const sent = sending(requests.slice(first));
    assert.deepEqual(sent, [], "something was sent");
    await opened.end();
  });
}

/** Every drawn frame stands in the tree with that depth and total, and every large one of the tree is drawn. */
function checkFrames(rows, root) {
  const nodes = nodesOf(root);
  const key = ({ name, depth, total }) => `${depth} ${name} ${total}`;
  const known = new Map();
  for (const node of nodes) known.set(key(node), (known.get(key(node)) ?? 0) + 1);
  for (const row of rows) {
    const left = known.get(key(row)) ?? 0;
    assert.ok(left > 0, `drawn, but not in the profile: ${key(row)}`);
    known.set(key(row), left - 1);
  }
  const drawn = new Set(rows.map(key));
  const large = nodes.filter(({ share, depth }) => share > 0.03 && depth < 12);
  assert.ok(large.length > 3, "the profile has large frames");
  for (const node of large) assert.ok(drawn.has(key(node)), `in the profile, but not drawn: ${key(node)}`);
}

describe("a file", () => {
  onFiles(
    "dropped on the page is drawn with the totals it has",
    () => [goProfile()],
    async ({ page, at }) => {
      const root = callTree(readPprof(goProfile()), CPU);
      const rows = await drawnFrames(page, root.total);
      checkFrames(rows, root);
      assert.match(page.url(), /\/file$/, "the page for files, and nothing about them in its address");
      assert.match(await page.locator("footer").textContent(), /Nothing is uploaded/);
      const painted = await at("flame").evaluate((canvas) => {
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, Math.min(canvas.height, 200));
        const colours = new Set();
        for (let i = 0; i < data.length; i += 4) colours.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
        return colours.size;
      });
      assert.ok(painted > 20, `the canvas has ${painted} colours`);
    },
  );

  test("chosen with the file dialog is drawn too", async () => {
    const { page, at, end } = await openPage(browser, "/file");
    await at("open-file").setInputFiles(FILES.before);
    const root = callTree(readPprof(FILES.before), CPU);
    checkFrames(await drawnFrames(page, root.total), root);
    await end();
  });

  onFiles(
    "in the table has self and total of each function",
    () => [FILES.before],
    async ({ page, at }) => {
      const profile = readPprof(FILES.before);
      await drawnFrames(page, callTree(profile, CPU).total);
      await page.keyboard.press("2");
      await at("row").first().waitFor();
      for (const [column, by] of [
        ["self", "self"],
        ["total", "total"],
      ]) {
        const head = at(`sort-${column}`);
        if ((await head.locator("..").getAttribute("aria-sort")) !== "descending") await head.click();
        const expected = functionsOf(profile, CPU).sort((a, b) => b[by] - a[by]);
        await page.waitForFunction(
          (name) => document.querySelector("[data-testid=row] .name")?.textContent === name,
          expected[0].name,
        );
        const rows = await at("row").evaluateAll((rows) =>
          rows.map((row) => [...row.children].map((cell) => cell.textContent)),
        );
        assert.ok(rows.length >= 15, `${rows.length} rows in view`);
        const byName = new Map(expected.map((row) => [row.name, row]));
        for (const [i, [name, self, total]] of rows.entries()) {
          close(amount(self), byName.get(name).self, `self of ${name}`);
          close(amount(total), byName.get(name).total, `total of ${name}`);
          assert.equal(byName.get(name)[by], expected[i][by], `row ${i} by ${by}`);
        }
      }
      const count = await page.getByRole("table", { name: "Functions" }).getAttribute("aria-rowcount");
      assert.equal(Number(count) - 1, functionsOf(profile, CPU).length);
    },
  );

  onFiles(
    "of several types shows each",
    () => [FILES.before],
    async ({ page, at }) => {
      const profile = readPprof(FILES.before);
      await drawnFrames(page, callTree(profile, 1).total);
      await at("type").selectOption({ label: await at("type").evaluate((select) => select.options[0].label) });
      const root = callTree(profile, 0);
      checkFrames(await drawnFrames(page, root.total), root);
    },
  );
});

/** Text formats, written out here: what they mean can be read off. */
const TEXTS = {
  "folded stacks": {
    text: "main;orders;store 30\nmain;orders 12\nmain;idle 8\nmain;orders;store 5\n",
    total: 55,
    frames: ["0 total 55", "1 main 55", "2 orders 47", "3 store 35", "2 idle 8"],
  },
  speedscope: {
    text: JSON.stringify({
      profiles: [
        { type: "sampled", name: "one", unit: "none", samples: [[0, 1], [0]], weights: [30, 12] },
        { type: "sampled", name: "two", unit: "none", samples: [[0, 1, 2]], weights: [5] },
      ],
      shared: { frames: ["main", "orders", "store"].map((name) => ({ name })) },
      $schema: "https://www.speedscope.app/file-format-schema.json",
    }),
    total: 47,
    frames: ["0 total 47", "1 main 47", "2 orders 35", "3 store 5"],
  },
  "an old goroutine profile": {
    text: "goroutine profile: total 7\n5 @ 0x11 0x21\n2 @ 0x12 0x21\n",
    total: 7,
    frames: ["0 total 7", "1 0x20 7", "2 0x10 5", "2 0x11 2"],
  },
};

describe("a text", () => {
  for (const [name, { text, total, frames }] of Object.entries(TEXTS)) {
    const path = own(`${name.replaceAll(" ", "-")}.txt`);
    onFiles(
      `of ${name} is drawn`,
      () => {
        writeFileSync(path, text);
        return [path];
      },
      async ({ page }) => {
        const rows = await drawnFrames(page, total);
        assert.deepEqual(rows.map(({ name, depth, total }) => `${depth} ${name} ${total}`).sort(), frames.sort());
      },
    );
  }
});

describe("zoom", () => {
  onFiles(
    "by double-click, and back with Escape",
    () => [FILES.before],
    async ({ page, at }) => {
      const root = callTree(readPprof(FILES.before), CPU);
      await drawnFrames(page, root.total);
      const target = nodesOf(root).find(({ name }) => name.endsWith("orders.(*Handler).Create"));
      const { x, y } = await middleOf(page, target);
      await page.mouse.move(x, y);
      await at("tooltip").waitFor();
      assert.ok(
        (await at("tooltip").textContent()).includes(target.name),
        "the tooltip names the frame under the pointer",
      );
      await page.mouse.click(x, y);
      await at("drawer").waitFor();
      assert.equal(await at("drawer-name").textContent(), target.name);
      close(amount(await at("drawer-total").textContent()), target.total, "total in the drawer");
      close(amount(await at("drawer-self").textContent()), target.self, "self in the drawer");
      await page.keyboard.press("Escape");
      await at("drawer").waitFor({ state: "detached" });

      const again = await middleOf(page, target);
      await page.mouse.dblclick(again.x, again.y);
      await at("crumbs").waitFor();
      await page.waitForURL(/[?&]z=/);
      assert.ok((await at("crumbs").textContent()).includes("Create"), "the path says where one is");
      const zoomed = await drawnFrames(page, root.total);
      const inside = new Set(nodesOf(target.node).map(({ name, total }) => `${name} ${total}`));
      for (const row of zoomed.filter(({ depth }) => depth > target.depth)) {
        assert.ok(inside.has(`${row.name} ${row.total}`), `${row.name} is outside of the zoomed frame`);
      }
      assert.ok(zoomed.filter(({ depth }) => depth > target.depth).length > 20);

      await page.keyboard.press("Escape");
      await page.keyboard.press("0");
      await at("crumbs").waitFor({ state: "detached" });
      assert.doesNotMatch(page.url(), /[?&]z=/);
      await page.goBack();
      await at("crumbs").waitFor();
    },
  );

  onFiles(
    "by keyboard",
    () => [FILES.before],
    async ({ page, at }) => {
      const root = callTree(readPprof(FILES.before), CPU);
      await drawnFrames(page, root.total);
      await at("flame").focus();
      // Down goes to what costs most, right to the next one in the row.
      const row = nodesOf(root).filter(({ depth }) => depth === 1);
      const at1 = row.indexOf(row.reduce((most, node) => (node.total > most.total ? node : most)));
      const [first, second] = [row[at1], row[at1 + 1]];
      await page.keyboard.press("ArrowDown");
      const says = (name) =>
        page.waitForFunction(
          (name) => document.querySelector("[data-testid=current-frame]").textContent.startsWith(`${name}, `),
          name,
        );
      await says(first.name);
      const percent = ((first.total / root.total) * 100).toFixed(1).replace(".0", "");
      assert.match(
        await at("current-frame").textContent(),
        new RegExp(`, ${percent.replace(".", "\\.")} %, \\d+ child`),
      );
      await page.keyboard.press("ArrowRight");
      await says(second.name);
      await page.keyboard.press("Enter");
      await page.waitForURL(/[?&]z=/);
      await at("crumbs").waitFor();
      await page.keyboard.press("Escape");
      await page.waitForURL((url) => !url.searchParams.has("z"));
    },
  );
});

describe("search", () => {
  onFiles(
    "counts the frames and their share",
    () => [FILES.before],
    async ({ page, at }) => {
      const root = callTree(readPprof(FILES.before), CPU);
      await drawnFrames(page, root.total);
      for (const [query, matches] of [
        ["REGEXP", (name) => name.toLowerCase().includes("regexp")],
        ["/^runtime\\.(mallocgc|growslice)$/", (name) => /^runtime\.(mallocgc|growslice)$/.test(name)],
        ["encoding/json", (name) => name.includes("encoding/json")],
      ]) {
        const nodes = nodesOf(root).slice(1);
        const count = nodes.filter(({ name }) => matches(name)).length;
        const outermost = (node) =>
          matches(node.name) && node.depth > 0
            ? node.total
            : [...node.children.values()].reduce((sum, child) => sum + outermost(child), 0);
        await page.keyboard.press("/");
        await at("search").fill(query);
        await page.waitForFunction(
          (count) => document.querySelector("[data-testid=search-result]").textContent.includes(`${count} frame`),
          count,
        );
        const shown = await at("search-result").textContent();
        assert.match(shown, new RegExp(`^${count} frames? · `));
        const percent = Number(/([\d.]+)\s*%/.exec(shown)[1]);
        assert.ok(Math.abs(percent - (outermost(root) / root.total) * 100) < 0.06, `share of ${query}: ${shown}`);
        await page.keyboard.press("Enter");
        await page.waitForFunction(
          (count) => document.querySelector("[data-testid=search-result]").textContent.startsWith(`1 of ${count} `),
          count,
        );
        const first = nodes.find(({ name }) => matches(name));
        await page.waitForFunction(
          (name) => document.querySelector("[data-testid=current-frame]").textContent.startsWith(`${name}, `),
          first.name,
        );
        await at("search").press("Escape");
      }
      await page.keyboard.press("/");
      await at("search").fill("nothing is called so");
      await page.waitForFunction(
        () => document.querySelector("[data-testid=search-result]").textContent === "no matches",
      );
    },
  );
});

describe("two files", () => {
  onFiles(
    "are merged",
    () => [FILES.before, FILES.after],
    async ({ page, at }) => {
      const root = callTree(together(readPprof(FILES.before), readPprof(FILES.after)), CPU);
      checkFrames(await drawnFrames(page, root.total), root);
      assert.match(await at("facts").textContent(), /^2 files/);
    },
  );

  onFiles(
    "are compared",
    () => [FILES.before, FILES.after],
    async ({ page, at }) => {
      const [base, other] = [FILES.before, FILES.after].map((path) => callTree(readPprof(path), CPU));
      await at("compare").click();
      await at("legend").waitFor();
      await at("normalise").uncheck();
      const exact = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, ",");
      const title = (await at("diff-totals").getAttribute("title")).replace(/[^\d,→]/g, "");
      assert.equal(title, `${exact(base.total)}→${exact(other.total)}`);
      // A box is as wide as both sides together.
      const rows = await drawnFrames(page, base.total + other.total);
      const find = (root, path) => path.reduce((node, name) => node?.children.get(name), root);
      const paths = new Map();
      const visit = (node, path) => {
        paths.set(`${path.length} ${node.name}`, [...(paths.get(`${path.length} ${node.name}`) ?? []), path]);
        for (const child of node.children.values()) visit(child, [...path, child.name]);
      };
      visit(base, []);
      visit(other, []);
      for (const { name, depth, cells } of rows) {
        const fits = paths.get(`${depth} ${name}`).some((path) => {
          const totals = [base, other].map((root) => find(root, path)?.total ?? 0);
          return totals.every((total, side) => Math.abs(amount(cells[side]) - total) <= total * 0.01);
        });
        assert.ok(fits, `${depth} ${name}: ${cells.join(" → ")} is in neither profile`);
      }
      const compile = rows.find(({ name }) => name === "regexp.compile");
      assert.equal(amount(compile.cells[0]), 0, "compiling is new");
      assert.ok(amount(compile.cells[1]) > 1e9);

      await at("normalise").check();
      await page.waitForURL(/norm=1/);
      await at("swap").click();
      // 100 % on either side.
      const swapped = await drawnFrames(page, 200);
      assert.equal(
        amount(swapped.find(({ name }) => name === "regexp.compile").cells[1]),
        0,
        "swapped, compiling is gone",
      );
    },
  );

  onFiles(
    "of folded stacks with and without decimals are added up and compared exactly",
    () => {
      const texts = { "whole.folded": "main;work 50\nmain 2\n", "parts.folded": "main;work 50.5\nmain 2\n" };
      return Object.entries(texts).map(([name, text]) => {
        writeFileSync(own(name), text);
        return own(name);
      });
    },
    async ({ page, at }) => {
      const rows = () =>
        at("row").evaluateAll((rows) =>
          rows.map((row) => [...row.children].slice(0, 3).map((cell) => cell.textContent.trim())),
        );
      await at("facts").filter({ hasText: "2 files merged" }).waitFor();
      await page.keyboard.press("2");
      await at("row").nth(1).waitFor();
      assert.deepEqual((await rows()).map((row) => row.slice(1)).sort(), [
        ["100.5 96.2 %", "100.5 96.2 %"],
        ["4 3.8 %", "104.5 100 %"],
      ]);
      await at("compare").click();
      await at("legend").waitFor();
      assert.equal(await at("diff-totals").getAttribute("title"), "52 samples → 52.5 samples");
    },
  );

  onFiles(
    "opened one after the other: the second is shown, the first is kept",
    () => [FILES.before],
    async ({ page, at }) => {
      await drawnFrames(page, callTree(readPprof(FILES.before), CPU).total);
      await drop(page, FILES.after);
      await drawnFrames(page, callTree(readPprof(FILES.after), CPU).total);
      const boxes = at("files").locator("input");
      assert.deepEqual(await boxes.evaluateAll((boxes) => boxes.map((box) => box.checked)), [false, true]);
      assert.equal(await at("file-hint").textContent(), "Showing 1 of 2 files.");
      await at("show-all").click();
      await drawnFrames(page, callTree(together(readPprof(FILES.before), readPprof(FILES.after)), CPU).total);
    },
  );
});

test("two files that are opened together: asked once, and the answer is kept", async () => {
  const files = ["two-a", "two-b"].map((name, i) => {
    const path = own(`${name}.txt`);
    writeFileSync(path, `main;work ${10 + 5 * i}\n`);
    return path;
  });
  const { page, at, end } = await openPage(browser, "/file?m=compare");
  const open = async () => {
    await at("dropzone").waitFor({ state: "attached" });
    await drop(page, ...files);
    await at("files").waitFor();
    await settled(page);
  };
  await open();
  assert.equal(await at("compare").getAttribute("aria-pressed"), "true", "as the address says");
  assert.equal(await at("file-hint").textContent(), "");
  await page.goto(`${url}/file`);
  await open();
  assert.match(await at("file-hint").textContent(), /^Choose Merge or Compare/);
  assert.equal(await at("merge").getAttribute("aria-pressed"), "true");
  await at("compare").click();
  await at("legend").waitFor();
  assert.equal(await at("file-hint").textContent(), "");
  await page.goto(`${url}/file`);
  await open();
  assert.equal(await at("compare").getAttribute("aria-pressed"), "true", "as the last time");
  await at("merge").click();
  await page.goto(`${url}/file`);
  await open();
  assert.equal(await at("merge").getAttribute("aria-pressed"), "true");
  await page.goto(`${url}/file?m=compare`);
  await open();
  assert.equal(await at("compare").getAttribute("aria-pressed"), "true", "an address goes before what was chosen");
  await drop(page, ...files);
  await page.waitForFunction(() => document.querySelectorAll("[data-testid=files] li").length === 4);
  await settled(page);
  assert.equal(await at("merge").getAttribute("aria-pressed"), "true", "it was not of files that come later");
  await end();
});

test("two files that ask to be shown by other types are shown by the first one's, in the selector, the chips and the picture", async () => {
  const paths = [own("heap.pb"), own("allocs.pb")];
  writeFileSync(paths[0], writeKinds({ alloc_space: 10, inuse_space: 2 }));
  writeFileSync(paths[1], writeKinds({ alloc_space: 100, inuse_space: 5 }, "alloc_space"));
  const { page, at, end } = await openPage(browser, "/file?m=merge");
  await at("dropzone").waitFor({ state: "attached" });
  await drop(page, ...paths);
  await at("files").waitFor();
  await drawnFrames(page, 7);
  assert.equal(await at("type").inputValue(), "inuse_space");
  const chips = await at("files").locator("li").allTextContents();
  assert.ok(/2 B/.test(chips[0]) && /5 B/.test(chips[1]), chips.join());
  await at("type").selectOption("alloc_space");
  await drawnFrames(page, 110);
  await end();
});

test("the address of a view of a file that isn't there asks for the file, which is then seen so", async () => {
  const { page, at, end } = await openPage(browser, "/file?v=table&f=focus:regexp");
  await at("dropzone").waitFor();
  assert.match(await at("file-missing").textContent(), /Open the file to see it\.$/);
  await drop(page, FILES.after);
  await at("row").first().waitFor();
  assert.equal(new URL(page.url()).searchParams.get("f"), "focus:regexp");
  assert.equal(await at("file-missing").count(), 0);
  await at("files")
    .getByRole("button", { name: /^Close / })
    .click();
  await at("dropzone").waitFor();
  assert.equal(page.url(), `${url}/file`, "what is closed has no view");
  assert.equal(await at("file-missing").count(), 0);
  await end();
});
