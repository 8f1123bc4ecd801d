/**
 * What the page says is what the server answers: every list, total and share in the drawer, the table and the foot, for call
 * trees and comparisons of real profiles. The trees come from the older API, which nothing in the site reads.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { both, functions, push, size, tree, typesOf, walk } from "./answers.mjs";
import { amount, close, launch, openPage, settled } from "./page.mjs";

const CORPUS = new URL("../../../shared/corpus/pprof/", import.meta.url).pathname;
const FILES = [
  "cppbench.contention",
  "cppbench.cpu",
  "cppbench.heap",
  "cppbench.thread",
  "go.crc32.cpu",
  "java.contention",
  "sample.cpu",
];
/** CPU profiles measure the same, so each can be compared with each. */
const CPU = ["cppbench.cpu", "go.crc32.cpu", "sample.cpu"];
const TREES = 10;
const COMPARISONS = 10;
/** Frames whose details are opened for each tree, besides those on the way to them. */
const FRAMES = 6;
const skip = existsSync(CORPUS) ? false : "corpus not found";

/** A name that no other run has. */
const own = (name) => `truth-${run}-${name}`;
const run = Date.now().toString(36);
/** sample.cpu states its own time, years ago; the others take the time of their push. */
const second = Math.floor(Date.now() / 1000) - 600;
const WIDE = { from: 1_262_304_000_000, until: Date.now() + 60_000 };
const RANGES = { "sample.cpu": { from: WIDE.from, until: (second - 86_400) * 1000 } };
const rangeOf = (file, at) => RANGES[file] ?? { from: (at - 60) * 1000, until: (at + 60) * 1000 };

let browser;
let trees;
before(async () => {
  if (skip) return;
  browser = await launch();
  for (const file of FILES) await push(own(file), CORPUS + file, second);
});
after(() => browser?.close());

const exact = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, ",");
/** The number in a title such as "1,234 nanoseconds". */
const digits = (title) => Number(/[\d,]+/.exec(title)[0].replaceAll(",", ""));

function checkShare(text, part, whole, what) {
  const share = whole === 0 ? 0 : (part / whole) * 100;
  if (text === "<0.01 %") return assert.ok(share > 0 && share < 0.005, `${what}: ${text} is not ${share} %`);
  if (text === ">99.9 %") return assert.ok(share < 100 && share >= 99.95, `${what}: ${text} is not ${share} %`);
  const shown = Number(/^([\d,.]+) %$/.exec(text)?.[1].replaceAll(",", ""));
  const step = share < 0.1 ? 0.0051 : share >= 1000 ? 0.51 : 0.051;
  assert.ok(Math.abs(shown - share) < step, `${what}: ${text} is not ${share} %`);
}

function checkChange(text, [before, after], what) {
  if (before === after) return assert.equal(text, "±0 %", what);
  if (before === 0) return assert.equal(text, "new", what);
  if (after === 0) return assert.equal(text, "gone", what);
  if ((after - before) / before >= 10) return close(amount(text.slice(1)), after / before, what);
  const part = Math.abs((after - before) / before);
  assert.equal(text[0], after > before ? "+" : "−", what);
  checkShare(text.slice(1), part, 1, what);
}

/** Equal as far as three digits tell, zero and signs included. */
function checkAmount(text, value, what) {
  const shown = amount(text.replace(/^[+−]/, ""));
  close(shown, Math.abs(value), `${what}: ${text}`);
  if (value < 0) assert.equal(text[0], "−", what);
}

/** The drawer's texts, read in one go. */
const readDrawer = (page) =>
  page.getByTestId("drawer").evaluate((drawer) => {
    const texts = (row) => [...row.children].map((cell) => cell.textContent);
    const list = (name) =>
      [...drawer.querySelectorAll(`ol.${name} li`)]
        .filter((item) => !item.classList.contains("hint"))
        .map((item) => ({
          name: item.querySelector("button").title,
          share: item.querySelector(".num")?.textContent,
          title: item.querySelector(".num")?.title,
        }));
    return {
      name: drawer.querySelector("h2").textContent,
      facts: [...drawer.querySelectorAll("table.facts tbody tr, table.facts tr:has([scope=colgroup])")].map((row) => ({
        cells: texts(row),
        title: row.title,
      })),
      callers: list("callers"),
      callees: list("callees"),
      inner: drawer.querySelector("[data-testid=drawer-inner]").textContent,
      hint: drawer.querySelector("ol.callees .hint")?.textContent ?? "",
      occurrence: drawer.querySelector("[data-testid=occurrence]")?.textContent ?? "1 of 1",
    };
  });

/** Opens the details of the frame on a path of names from the root, through the drawer's own lists; `from` is where one is. */
async function openFrame(page, from, to) {
  const problem = await page.evaluate(
    async ({ from, to }) => {
      const drawer = () => document.querySelector("[data-testid=drawer]");
      const click = async (button, name) => {
        const before = drawer().dataset.node;
        button.click();
        const deadline = performance.now() + 10_000;
        while (drawer()?.dataset.node === before && performance.now() < deadline)
          await new Promise((done) => setTimeout(done, 5));
        const now = drawer()?.querySelector("h2").textContent;
        return now === name ? null : `${name} was chosen, and ${now} is shown`;
      };
      let common = 0;
      while (common < from.length && from[common] === to[common]) common++;
      let problem = null;
      if (common < from.length)
        problem = await click(drawer().querySelectorAll("ol.callers button")[from.length - common - 1], to[common - 1]);
      for (let i = common; i < to.length && !problem; i++) {
        const buttons = [...drawer().querySelectorAll("ol.callees button")];
        const button = buttons.find(({ title }) => title === to[i]);
        if (!button)
          return `${to.slice(0, i).join(" › ")} calls ${to[i]}, but listed are: ${buttons.map(({ title }) => title).join(", ")}`;
        problem = await click(button, to[i]);
      }
      return problem;
    },
    { from, to },
  );
  assert.equal(problem, null);
}

function checkDrawer(drawer, node, path, root, table) {
  const what = [...path, node].map(({ name }) => name).join(" › ");
  const all = table.get(node.name) ?? { ...node, count: 1 };
  assert.equal(drawer.name, node.name);
  assert.deepEqual(
    drawer.callers.map(({ name }) => name),
    path.map(({ name }) => name).reverse(),
    `callers of ${what}`,
  );
  // Callees: all of them, the largest first, with their part of this frame.
  const children = [...node.children.values()];
  assert.deepEqual(
    drawer.callees.map(({ name }) => name).sort(),
    children.map(({ name }) => name).sort(),
    `callees of ${what}`,
  );
  assert.equal(drawer.hint, children.length === 0 ? "No callees." : "");
  const [of, shares] = all.count > 1 ? [" of this occurrence", " (shares of it)"] : ["", " (shares of this function)"];
  assert.equal(drawer.inner, `Callees${of}${node.sides ? "" : shares}`, `heading of the callees of ${what}`);
  let last = Infinity;
  for (const { name, share, title } of drawer.callees) {
    const child = node.children.get(name);
    assert.ok(child.total <= last, `${name} comes before larger callees of ${what}`);
    last = child.total;
    assert.equal(digits(title), child.total, `exact total of ${what} › ${name}`);
    if (node.sides)
      checkChange(
        share,
        child.sides.map(({ total }) => total),
        `change of ${what} › ${name}`,
      );
    else checkShare(share, child.total, node.total, `share of ${what} › ${name}`);
  }
  assert.match(drawer.occurrence, new RegExp(`^[1-9]\\d* of ${all.count}$`), `occurrences of ${what}`);
  const several = all.count > 1;
  const rows = [
    ["total", node],
    ["self", node],
  ];
  if (several) rows.push([`All ${all.count} occurrences`], ["total", all], ["self", all]);
  assert.deepEqual(
    drawer.facts.map(({ cells }) => cells[0]),
    rows.map(([label]) => label),
    what,
  );
  for (const [i, [label, row]] of rows.entries()) {
    const { cells, title } = drawer.facts[i];
    if (!row) continue;
    const by = label.endsWith("self") ? "self" : "total";
    if (node.sides) {
      const [before, after] = row.sides.map((side) => side[by]);
      checkAmount(cells[1], before, `baseline, ${label} of ${what}`);
      checkAmount(cells[2], after, `comparison, ${label} of ${what}`);
      checkAmount(cells[3], after - before, `change, ${label} of ${what}`);
    } else {
      checkAmount(cells[1], row[by], `${label} of ${what}`);
      checkShare(cells[2], row[by], root.total, `share, ${label} of ${what}`);
      if (i < 2) assert.equal(digits(title), row[by], `exact ${label} of ${what}`);
    }
  }
}

/** Frames worth a look: those whose largest callee is not their first, those that occur often, leaves, and the largest. */
function chosenFrames(root, table) {
  const frames = [];
  walk(root, (node, path) => path.length > 0 && frames.push({ node, path }));
  const first = ({ node }) => {
    const byName = [...node.children.values()].sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)));
    return byName.length > 1 && byName.some(({ total }) => total > byName[0].total);
  };
  const groups = [
    frames.filter(first),
    frames.filter(({ node }) => table.get(node.name).count > 1),
    frames.filter(({ node }) => node.children.size === 0),
    frames,
  ].map((group) => group.sort((a, b) => b.node.total - a.node.total));
  const found = new Set();
  for (let i = 0; found.size < Math.min(FRAMES, frames.length); i++)
    for (const group of groups) if (group[i]) found.add(group[i]);
  const path = ({ node, path }) => [...path, node].map(({ name }) => name);
  return [...found]
    .map((frame) => ({ ...frame, names: path(frame) }))
    .sort((a, b) => (a.names.join() < b.names.join() ? -1 : 1));
}

async function checkFrames(page, root, table) {
  await page.keyboard.press("1");
  await page.getByTestId("flame").focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press(" ");
  await page.getByTestId("drawer").waitFor();
  const largest = [...root.children.values()].reduce((most, child) => (child.total > most.total ? child : most));
  assert.equal(await page.getByTestId("drawer-name").textContent(), largest.name);
  let at = ["total", largest.name];
  for (const { node, path, names } of chosenFrames(root, table)) {
    await openFrame(page, at, names);
    at = names;
    checkDrawer(await readDrawer(page), node, path, root, table);
  }
  await page.keyboard.press("Escape");
}

async function checkTable(page, root, table) {
  await page.keyboard.press("2");
  await page.getByTestId("row").first().waitFor();
  const orders = root.sides ? ["delta", "self_delta", "total"] : ["self", "total"];
  for (const order of orders) {
    const key = (row) => {
      const of = { delta: "total", self_delta: "self" }[order];
      return of ? row.sides[1][of] - row.sides[0][of] : row[order];
    };
    const head = page.getByTestId(`sort-${order}`);
    if ((await head.locator("..").getAttribute("aria-sort")) !== "descending") await head.click();
    await page.locator(`[aria-sort=descending] [data-testid=sort-${order}]`).waitFor();
    const expected = [...table.values()].sort((a, b) => key(b) - key(a));
    const read = () =>
      page
        .getByTestId("row")
        .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent.trim())));
    // The head says the order before the rows have come.
    await settled(page);
    const rows = await read();
    assert.ok(rows.length >= Math.min(15, table.size), `${rows.length} rows in view`);
    for (const [i, [name, ...cells]] of rows.entries()) {
      const row = table.get(name);
      assert.ok(row, `${name} is a function of the profile`);
      assert.equal(key(row), key(expected[i]), `row ${i} by ${order}: ${name}`);
      if (root.sides) {
        const [before, after] = row.sides.map(({ total }) => total);
        checkAmount(cells[0], before, `baseline of ${name}`);
        checkAmount(cells[1], after, `comparison of ${name}`);
        checkAmount(cells[2], after - before, `change of ${name}`);
        checkAmount(cells[3], row.sides[1].self - row.sides[0].self, `change of the self value of ${name}`);
      } else {
        for (const [j, by] of ["self", "total"].entries()) {
          const [value, share] = /^(.*?)\s+([<>]?[\d,.]+ %)$/.exec(cells[j]).slice(1);
          checkAmount(value, row[by], `${by} of ${name}`);
          checkShare(share, row[by], root.total, `share, ${by} of ${name}`);
        }
      }
    }
  }
  const count = await page.getByRole("table", { name: "Functions" }).getAttribute("aria-rowcount");
  assert.equal(Number(count) - 1, table.size, "functions in the table");
}

/** Shows another place, as the browser's Back does: the page stays, which is quicker. */
async function visit(page, path) {
  const before = await page.title();
  await page.evaluate((path) => {
    history.pushState(null, "", path);
    dispatchEvent(new PopStateEvent("popstate"));
  }, path);
  await page.waitForFunction(
    (before) => document.querySelector("[data-testid=problem]") || ![before, "Pilotlight"].includes(document.title),
    before,
  );
  assert.equal(await page.getByTestId("problem").count(), 0, `${path} is not shown`);
}

async function checkPage({ page, at }, path, root, foot) {
  await visit(page, path);
  await page.waitForSelector(`[data-testid=frames] tbody tr:first-child[data-total="${root.total}"]`, {
    state: "attached",
  });
  const facts = await at("facts").textContent();
  assert.match(facts, foot);
  assert.ok(facts.includes(`${exact(size(root))} frame`), `${size(root)} frames: ${facts}`);
  const table = functions(root);
  await checkFrames(page, root, table);
  await checkTable(page, root, table);
}

describe("the page says what the server answers", { skip }, () => {
  test(`of ${TREES} call trees`, async () => {
    trees = [];
    for (const file of FILES) {
      const range = rangeOf(file, second);
      for (const type of await typesOf(own(file), range)) trees.push({ service: own(file), type, range });
    }
    assert.ok(trees.length >= TREES, `${trees.length} trees`);
    const opened = await openPage(browser, "/");
    // One of each file first.
    const services = new Set();
    const firsts = trees.filter(({ service }) => !services.has(service) && services.add(service));
    for (const { service, type, range } of [...new Set([...firsts, ...trees])].slice(0, TREES)) {
      const query = `s=${service}&t=${encodeURIComponent(type)}&from=${range.from}&until=${range.until}`;
      await checkPage(
        opened,
        `/explore?${query}`,
        await tree(service, type, range),
        /^(1 profile|average of 1 snapshot) · ([\d,]+ frames|1 frame) · /,
      );
    }
    await opened.end();
  });

  test(`of ${COMPARISONS} comparisons`, async () => {
    const opened = await openPage(browser, "/");
    let count = 0;
    for (const base of CPU) {
      for (const other of CPU.filter((file) => file !== base)) {
        const service = own(`${base}-${other}`);
        await push(service, CORPUS + base, second - 300);
        await push(service, CORPUS + other, second);
        const [before, after] = [rangeOf(base, second - 300), rangeOf(other, second)];
        for (const type of await typesOf(service, before)) {
          if (count === COMPARISONS) break;
          count++;
          const sides = await Promise.all([tree(service, type, before), tree(service, type, after)]);
          const query =
            `s=${service}&t=${encodeURIComponent(type)}` +
            `&from=${before.from}&until=${before.until}&from2=${after.from}&until2=${after.until}&norm=0`;
          await checkPage(opened, `/diff?${query}`, both(...sides), /^1 profile against 1 profile · /);
        }
      }
    }
    assert.equal(count, COMPARISONS);
    await opened.end();
  });
});
