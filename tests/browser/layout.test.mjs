/**
 * Nothing overlaps and nothing is out of reach, on a phone, on a wide screen and at 200 %, however long the names are. What
 * is looked at: every control, and every text that stands by itself. Pictures of a phone and a laptop, and of what is wrong,
 * go to target/screenshots/layout. Of each state axe-core has its say, too: in light on a laptop, in dark on a phone.
 */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { alertAnswer } from "./alertanswers.mjs";
import { push } from "./answers.mjs";
import { barriers } from "./axe.mjs";
import { drop, launch, openPage, own, settled } from "./page.mjs";
import { writePprof } from "./pprof.mjs";

const VIEWPORTS = [
  { width: 320, height: 568 },
  { width: 390, height: 844 },
  { width: 768, height: 1024 },
  { width: 1024, height: 768 },
  { width: 1280, height: 800 },
  { width: 1400, height: 900 },
  { width: 1920, height: 1080 },
  // 200 % of the 1400 x 900 above.
  { width: 700, height: 450, scale: 2 },
];
const CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";
const SERVICE = "storefront-recommendations-ranking-pipeline-eu-central-1";
const LABEL = "kubernetes_deployment";
const VALUE = "recommendations-ranking-pipeline-canary-7d9c5b8f64-xk2lp";
const FILTER = `${LABEL}="${VALUE}"`;
const JAVA = "org.springframework.security.web.servletapi.SecurityContextHolderAwareRequestFilter";
const STACKS = [
  `main;${JAVA}.doFilter;com.example.ranking.FeatureVectorAssembler.assembleAll;java.util.HashMap.get 572400000000`,
  `main;${JAVA}.doFilter;com.example.ranking.FeatureVectorAssembler.assembleAll;java.util.HashMap.put 99900000000`,
  `main;${JAVA}.doFilter;com.example.ranking.Model.predict 340000000000`,
  `main;${JAVA}.doFilter;com.example.ranking.Model.predict;java.util.HashMap.get 14000000000`,
  "main;gc 1000000000",
];
const files = [
  ["a-very-long-name-of-a-profile-from-production-2026-11-22T09-06-00.pb.gz", "before"],
  ["another-very-long-name-of-a-profile-from-staging-2026-11-22T09-06-00.pb.gz", "after"],
  ["short.folded", "short"],
];

let browser;
let range;
before(async () => {
  const now = Math.floor(Date.now() / 1000);
  const more = STACKS.map((line) => line.replace(/(\d+)$/, (value) => String(Math.round(value * 1.7))));
  for (const [seconds, lines] of [
    [now - 2400, STACKS],
    [now - 600, [...more, "main;fresh 40000000000"]],
  ]) {
    await push(`${SERVICE}{${LABEL}=${VALUE},region=eu-central-1}`, writePprof("cpu", "nanoseconds", lines), seconds);
  }
  range = { from: (now - 3500) * 1000, middle: (now - 1500) * 1000, until: (now + 100) * 1000 };
  browser = await launch();
});
after(() => browser?.close());

const explore = (more = "") => `/explore?s=${SERVICE}&t=${CPU}${more}`;
const absolute = () => `&from=${range.from}&until=${range.until}`;
const drawn = ({ at }) => at("frames").locator("tbody tr").nth(2).waitFor({ state: "attached" });
/** Writes files and gives their paths. */
const written = (...contents) =>
  contents.map(([name, text]) => {
    writeFileSync(own(name), text);
    return own(name);
  });
const folded = (lines) => lines.join("\n");

const diff = () =>
  `/diff?s=${SERVICE}&t=${CPU}&from=${range.from}&until=${range.middle}&from2=${range.middle}&until2=${range.until}&norm=1&l=${encodeURIComponent(FILTER)}`;
/** Opens a menu anew: it takes its place when it opens. */
const menu =
  (name) =>
  async ({ page, at }) => {
    await page.keyboard.press("Escape");
    await at(name).click();
    await page.locator(".menu-panel").waitFor();
  };

/** Where there is little room, each side of a comparison is a line that opens. */
const openSides = async ({ page }) => {
  const closed = page.locator(".side details:not([open]) > summary");
  while ((await closed.count()) > 0) await closed.first().click();
};

/** Opens a trace with labels and times, and waits for a part of the page. */
const recording = (part) => async (opened) => {
  const event = (name, tid, ts, dur) => ({ ph: "X", name, pid: 1, tid, ts, dur });
  const thread = (tid, name) => ({ ph: "M", name: "thread_name", pid: 1, tid, args: { name } });
  const traceEvents = [
    thread(1, `worker of ${SERVICE}`),
    thread(2, "main"),
    event(`${JAVA}.doFilter`, 1, 0, 900_000),
    event("(idle)", 1, 100_000, 200_000),
    event("java.util.HashMap.get", 1, 500_000, 200_000),
    event("gc", 2, 0, 300_000),
  ];
  await drop(
    opened.page,
    ...written(["a-very-long-name-of-a-trace-from-production.json", JSON.stringify({ traceEvents })]),
  );
  await drawn(opened);
  await opened.at("heatmap").waitFor();
  await opened.at(part).first().waitFor();
};

const labelsMenu = async (opened) => {
  await menu("labels")(opened);
  await opened.at("keep-label").first().waitFor();
};

/** Name, address, what makes the state of the page, and what is done in each window. */
const STATES = [
  ["home", () => "/", ({ at }) => at("service-card").filter({ hasText: SERVICE }).waitFor()],
  ["explore", () => explore(), drawn],
  ["absolute", () => explore(`${absolute()}&w=${range.middle - 1_000_000}-${range.until}`), drawn],
  [
    "filter",
    () => explore(`${absolute()}&l=${encodeURIComponent(FILTER)}&l=${encodeURIComponent('region!~"us-.*"')}`),
    drawn,
  ],
  ["singles", () => explore("&p=singles"), ({ at }) => at("singles-row").first().waitFor()],
  ["types", () => explore("&p=types"), ({ at }) => at("type-card").first().waitFor()],
  [
    "values",
    () => explore(`&p=labels&by=${LABEL}`),
    async ({ at }) => {
      await at("value-row").first().waitFor();
      await at("timeline").locator("canvas").waitFor();
    },
  ],
  ["split", () => explore(`&split=${LABEL}`), ({ at }) => at("split-value").first().waitFor()],
  ["rules", () => "/rules", ({ at }) => at("rules-use").waitFor()],
  [
    "alerts",
    () => "/alerts",
    async ({ page, at }) => {
      await at("receivers").waitFor();
      const json = alertAnswer({ ofFunction: "", ofService: "" });
      await page.route("**/api/v1/alerts?*", (route) => route.fulfill({ json }));
      await at("refresh").click();
      await at("alert-item").first().waitFor();
    },
  ],
  [
    "alert-dialog",
    () => "/alerts",
    async ({ page, at }) => {
      await at("receivers").waitFor();
      const query = `${CPU}{service_name="${SERVICE}"}`;
      const rule = { id: "a", metric_name: `profiles_recorded_${LABEL}`, query, group_by: [LABEL], function: JAVA };
      const rest = { external_labels: {}, function_regex: "", call_site: [], self: false, unit_suffix: true };
      const rules = [rule, { ...rule, id: "b", function: "" }].map((one) => ({ ...rest, ...one }));
      const firing = { labels: { [LABEL]: VALUE }, from: range.from, until: range.middle, value: 2.1 };
      const { receivers } = alertAnswer({ ofFunction: "", ofService: "" });
      for (const [path, json] of [
        ["rules?", { rules }],
        ["alerts?", { alerts: [], history: [], receivers }],
        ["alerts/preview?", { firings: Array(7).fill(firing), unit: "cores" }],
      ])
        await page.route(`**/api/v1/${path}*`, (route) => route.fulfill({ json }));
      await at("refresh").click();
      await at("alert-new").click();
      await at("alert-threshold").fill("0.01");
      await at("alert-firings").filter({ hasText: "and 2 more" }).waitFor();
    },
  ],
  ["table", () => explore("&v=table"), ({ at }) => at("row").first().waitFor()],
  [
    "drawer",
    () => explore("&v=both"),
    async (opened) => {
      await opened.at("row").filter({ hasText: "HashMap.get" }).click();
      await opened.at("drawer").waitFor();
      await opened.page.mouse.move(0, 0);
    },
  ],
  [
    "steps",
    () =>
      explore(
        `&f=${encodeURIComponent(`hide:^${JAVA.replaceAll(".", "\\.")}`)}&f=ignore:nothing&f=group:package&f=recursion:direct&i=1`,
      ),
    async (opened) => {
      await drawn(opened);
      await opened.at("step").nth(3).waitFor();
    },
  ],
  ["step-menu", () => explore(), drawn, menu("step-add")],
  ["tree", () => explore("&v=tree"), ({ at }) => at("treeitem").nth(2).waitFor()],
  [
    "sandwich",
    () => explore("&v=sandwich&b=java.util.HashMap.get"),
    ({ at }) => at("callees").locator("tbody tr").first().waitFor({ state: "attached" }),
  ],
  ["minimap", () => explore("&x=0.2-0.4"), ({ at }) => at("minimap-window").waitFor()],
  ["graph", () => explore("&v=graph&q=HashMap"), ({ at }) => at("graph-node").nth(2).waitFor()],
  [
    "lines",
    () => "/file?v=lines",
    async (opened) => {
      const [path] = written([
        "lines.pb",
        writePprof("cpu", "nanoseconds", [
          `main@/src/a/main.go:3;${JAVA}.doFilter@/src/a/assembler.java:7 572400000000`,
          `main@/src/a/main.go:4;${JAVA}.doFilter@/src/a/assembler.java:9 99900000000`,
        ]),
      ]);
      await drop(opened.page, path);
      await opened.at("row").filter({ hasText: "doFilter" }).click();
      await opened.at("line").nth(1).waitFor();
      const long = `  return ${"assembler.assembleAll(vectors, weights) + ".repeat(6)}0;`;
      await drop(opened.page, ...written(["assembler.java", Array(40).fill(long).join("\n")]));
      await opened.at("line").filter({ hasText: "return" }).first().waitFor();
    },
  ],
  ["search", () => explore("&q=HashMap"), ({ at }) => at("search-result").filter({ hasText: "frame" }).waitFor()],
  [
    "diff",
    diff,
    async (opened) => {
      await drawn(opened);
      await opened.at("legend").waitFor();
    },
  ],
  ["sides", () => `${diff()}&v=sides&q=HashMap`, ({ at }) => at("flame-other").waitFor()],
  [
    "diff-steps",
    () => `${diff()}&f=ignore:nothing&f=group:package&i=1`,
    async (opened) => {
      await drawn(opened);
      await opened.at("step").nth(1).waitFor();
    },
  ],
  [
    "diff-drawer",
    () => `${diff()}&v=table&q=HashMap`,
    async (opened) => {
      await opened.at("row").filter({ hasText: "HashMap.get" }).click();
      await opened.at("drawer").waitFor();
    },
  ],
  ["range-menu", () => explore(absolute()), drawn, menu("range")],
  ["diff-open", diff, drawn, openSides],
  [
    "filter-menu",
    diff,
    drawn,
    async (opened) => {
      await openSides(opened);
      await menu("filters-other-add")(opened);
    },
  ],
  ["share-menu", () => explore(), drawn, menu("share")],
  ["export-menu", diff, drawn, menu("export")],
  [
    "export-filtered",
    () => "/file?f=ignore:nothing",
    async (opened) => {
      await drop(opened.page, ...written([files[2][0], folded(STACKS)]));
      await drawn(opened);
    },
    menu("export"),
  ],
  [
    "embed",
    () => "/file?embed=1&f=ignore:nothing",
    async (opened) => {
      await drop(opened.page, ...written([files[0][0], folded(STACKS)]));
      await drawn(opened);
    },
  ],
  [
    "files",
    () => "/file",
    async (opened) => {
      await drop(opened.page, ...written(...files.map(([name]) => [name, folded(STACKS)])));
      await drawn(opened);
    },
  ],
  [
    "bad",
    () => "/file",
    async (opened) => {
      const bad = [
        ["a-very-long-name-of-a-recording-that-is-not-read.jfr", "FLR\0\0\x02"],
        ["empty.pb.gz", ""],
        ["notes.txt", "buy milk"],
      ];
      await drop(opened.page, ...written(...bad, [files[0][0], folded(STACKS)]));
      await drawn(opened);
    },
  ],
  ["parts", () => "/file?f=time:0-0.4&vs=0.5-0.9&f=ignore:nothing", recording("legend")],
  ["chart", () => "/file?v=chart&idle=1", recording("axis")],
  ["labels-menu", () => "/file", recording("labels"), labelsMenu],
  [
    "help",
    () => explore(),
    async (opened) => {
      await drawn(opened);
      await opened.at("help-button").click();
      await opened.at("help").waitFor();
    },
  ],
];

/** Runs in the page: what overlaps, is cut off, or is covered. */
function faults() {
  const found = [];
  const scope = document.querySelector("dialog[open]") ?? document.body;
  const pageScrolls = document.documentElement.scrollHeight > innerHeight + 1;
  const over = "dialog, .drawer, .menu-panel, .tooltip, .notice, .loading";
  const label = (element) => {
    const text = (element.title || element.getAttribute("aria-label") || element.textContent || element.value || "")
      .trim()
      .replace(/\s+/g, " ");
    return `<${element.tagName.toLowerCase()}${element.className && typeof element.className === "string" ? `.${element.className.split(" ")[0]}` : ""} ${text.slice(0, 40)}>`;
  };
  const isControl = (element) =>
    element.matches("button, a[href], select, summary, label:has(input), input:not(label *), canvas:not(.minimap *)");
  const ownText = (element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== "");
  const hidden = (element) => element.closest(".hidden, [hidden], option, svg, script, style, .uplot") !== null;
  /** The lines of a text: one that wraps is not the rectangle around it. */
  const lines = (element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    return [...range.getClientRects()];
  };
  const ellipsis = (element) => getComputedStyle(element).textOverflow === "ellipsis";
  /** The part that can be seen, and whether all that is missing is marked: by an ellipsis, or by a place that scrolls. */
  const clip = (element, box, text) => {
    let { left, top, right, bottom } = box;
    let marked = false;
    let scrolls = false;
    for (
      let at = text ? element : element.parentElement;
      at && at !== document.documentElement;
      at = at.parentElement
    ) {
      const style = getComputedStyle(at);
      const room = at.getBoundingClientRect();
      if (style.overflowX === "visible" && style.overflowY === "visible") {
        if (style.position === "fixed") break;
        continue;
      }
      const cut = left < room.left - 1 || right > room.right + 1 || top < room.top - 1 || bottom > room.bottom + 1;
      if (cut) {
        const sideways = left < room.left - 1 || right > room.right + 1;
        const can = sideways ? /auto|scroll/.test(style.overflowX) : /auto|scroll/.test(style.overflowY);
        if (can && style.scrollbarWidth !== "none") scrolls = true;
        else if (sideways && ellipsis(at)) marked = true;
        // A path that has no room is on a line above its name.
        else if (!sideways && element.matches(".parts > .path")) marked = true;
        else if (!scrolls && !marked) found.push(`${label(element)} is cut off by ${label(at).slice(0, 30)}`);
      }
      left = Math.max(left, room.left);
      right = Math.min(right, room.right);
      top = Math.max(top, room.top);
      bottom = Math.min(bottom, room.bottom);
    }
    if (!scrolls && (left < -1 || right > innerWidth + 1))
      found.push(`${label(element)} sticks out of the window: ${Math.round(left)} to ${Math.round(right)}`);
    if (!scrolls && !pageScrolls && (top < -1 || bottom > innerHeight + 1))
      found.push(`${label(element)} sticks out below: ${Math.round(top)} to ${Math.round(bottom)}`);
    return {
      left: Math.max(left, 0),
      top: Math.max(top, 0),
      right: Math.min(right, innerWidth),
      bottom: Math.min(bottom, innerHeight),
    };
  };
  const items = [];
  for (const element of scope.querySelectorAll("*")) {
    const control = isControl(element);
    if (hidden(element) || (!control && !ownText(element))) continue;
    if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    // In the page, what an overlay covers is not there.
    const layer = element.closest(over);
    for (const box of control ? [element.getBoundingClientRect()] : lines(element)) {
      if (box.width === 0 || box.height === 0) continue;
      const seen = clip(element, box, !control);
      if (seen.right - seen.left < 2 || seen.bottom - seen.top < 2) continue;
      items.push({ element, seen, layer, control });
    }
  }
  for (const [i, a] of items.entries()) {
    for (const b of items.slice(i + 1)) {
      if (a.layer !== b.layer || a.element.contains(b.element) || b.element.contains(a.element)) continue;
      // A row of a table is there to be clicked, with its cells in it; the head stays above rows that scroll.
      if (
        a.element.closest(".table-head") !== b.element.closest(".table-head") &&
        a.element.closest(".table") &&
        b.element.closest(".table")
      )
        continue;
      const width = Math.min(a.seen.right, b.seen.right) - Math.max(a.seen.left, b.seen.left);
      const height = Math.min(a.seen.bottom, b.seen.bottom) - Math.max(a.seen.top, b.seen.top);
      if (width > 1 && height > 3)
        found.push(
          `${label(a.element)} and ${label(b.element)} overlap by ${Math.round(width)} x ${Math.round(height)}`,
        );
    }
    if (!a.control || a.layer) continue;
    const { left, top, right, bottom } = a.seen;
    const at = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    if (at && !a.element.contains(at) && !at.contains(a.element) && !at.closest(over))
      found.push(`${label(a.element)} is covered by ${label(at)}`);
  }
  // Columns that touch are read as one number.
  for (const row of scope.querySelectorAll(".table [role=row], .facts tr")) {
    const cells = [...row.children].filter((cell) => cell.textContent.trim() !== "" && cell.checkVisibility());
    for (const [i, cell] of cells.entries()) {
      const next = cells[i + 1];
      if (!next) continue;
      const right = Math.min(cell.getBoundingClientRect().right, Math.max(...lines(cell).map((line) => line.right)));
      const left = Math.max(next.getBoundingClientRect().left, Math.min(...lines(next).map((line) => line.left)));
      if (left - right < 6)
        found.push(`${label(cell)} touches ${label(next)}: ${Math.round(left - right)} pixels are between them`);
    }
  }
  const wide = document.documentElement.scrollWidth;
  if (wide > innerWidth) found.push(`the page is ${wide} pixels wide`);
  for (const element of document.querySelectorAll(
    ".page, .main, .header, .toolbar, .foot, .sides, .file-strip, .table, .drawer, .menu-panel, dialog[open]",
  )) {
    if (element.scrollWidth > element.clientWidth + 1)
      found.push(`${label(element).slice(0, 30)} scrolls sideways: ${element.scrollWidth} of ${element.clientWidth}`);
  }
  const canvas = scope.querySelector("canvas[data-testid=flame]");
  const room = canvas?.getBoundingClientRect();
  if (room && (room.height < 140 || room.width < 200))
    found.push(`the picture is ${Math.round(room.width)} x ${Math.round(room.height)}`);
  return [...new Set(found)].slice(0, 20);
}

const folder = join(process.env.PILOTLIGHT_SHOTS, "layout");
mkdirSync(folder, { recursive: true });

for (const [name, path, ready, each] of STATES) {
  test(`${name}: nothing overlaps, nothing is out of reach, nobody is kept out`, async () => {
    const opened = await openPage(browser, path());
    const { page } = opened;
    await ready(opened);
    const devices = await page.context().newCDPSession(page);
    const wrong = [];
    for (const { width, height, scale = 1 } of VIEWPORTS) {
      await devices.send("Emulation.setDeviceMetricsOverride", {
        width,
        height,
        deviceScaleFactor: scale,
        mobile: false,
      });
      await page.waitForFunction((width) => innerWidth === width, width);
      await page.emulateMedia({ colorScheme: "light" });
      await settled(page);
      await each?.(opened);
      const found = await page.evaluate(faults);
      if (found.length > 0) wrong.push(`at ${width} x ${height}:\n    ${found.join("\n    ")}`);
      const dark = width === 390 || width === 1400;
      for (const colorScheme of dark ? ["light", "dark"] : ["light"]) {
        await page.emulateMedia({ colorScheme });
        if (colorScheme === "dark") await settled(page);
        if (width === 1280 || (width === 390 && colorScheme === "dark")) {
          const barred = await barriers(page);
          if (barred.length > 0) wrong.push(`axe-core at ${width}, ${colorScheme}:\n    ${barred.join("\n    ")}`);
        }
        if (!dark && found.length === 0) continue;
        // Not the page's own method, which goes back to the window's first size.
        const { data } = await devices.send("Page.captureScreenshot", { optimizeForSpeed: true });
        writeFileSync(join(folder, `${name}-${width}-${colorScheme}.png`), Buffer.from(data, "base64"));
      }
    }
    await opened.end();
    assert.equal(wrong.join("\n  "), "");
  });
}
