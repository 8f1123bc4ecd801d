/** A tab of a browser of its own, and what is measured in it. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const PROBE = fileURLToPath(new URL("./probe.js", import.meta.url));
/** The longest that anything may take. */
const PATIENCE = 60_000;
/** The longest that the wheel turns: some viewers take a second for each frame. */
const TURNING = 5000;
const CTRL = 2;

export const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];
export const most = (values) => Math.max(0, ...values);

/** Opens `address` in a fresh browser, lets `use` work with it, and ends it. `prepare` sees the page before. */
export async function inTab(address, use, prepare = () => {}) {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    headless: true,
    args: FLAGS,
  });
  try {
    const context = await browser.newContext({ viewport: { width: 1600, height: 900 }, serviceWorkers: "block" });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE);
    await page.addInitScript({ path: PROBE });
    prepare(page);
    const tab = new Tab(page, await context.newCDPSession(page), browser);
    await page.goto(address);
    // What the page still does after it was loaded is not part of opening a file.
    await page.waitForTimeout(1500);
    return await use(tab);
  } finally {
    await browser.close();
  }
}

class Tab {
  page;
  browser;
  #devtools;
  #crashed;

  constructor(page, devtools, browser) {
    this.page = page;
    this.browser = browser;
    this.#devtools = devtools;
    this.#crashed = new Promise((_, reject) => page.once("crash", () => reject(new Error("crash"))));
    // Nobody may be waiting when it happens.
    this.#crashed.catch(() => {});
  }

  /** Chooses files and waits for labels that were not there before. */
  async open(input, ...paths) {
    await this.page.locator(input).first().setInputFiles(paths);
    return this.#labels();
  }

  /** Presses a key and waits for new labels, or for an element where the view has no canvas. */
  async press(key, element) {
    return this.#after(() => this.page.keyboard.press(key), element);
  }

  async click(selector) {
    return this.#after(() => this.page.locator(selector).click());
  }

  async #after(act, element) {
    await act();
    if (!element) return this.#labels();
    return this.#orCrash(this.page.evaluate((element) => window.__probe.until(element), element));
  }

  async #labels() {
    await this.#orCrash(this.page.evaluate(() => window.__probe.labels()));
    // Work that follows the first labels may block the page, too.
    await this.page.waitForTimeout(1000);
    return this.page.evaluate(() => window.__probe.label - window.__probe.start);
  }

  #orCrash(work) {
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`nothing after ${PATIENCE / 1000} s`)), PATIENCE);
    });
    return Promise.race([work, this.#crashed, late]).finally(() => clearTimeout(timer));
  }

  /** The longest tasks of the main thread since the last act, in ms. */
  async longest() {
    const long = await this.page.evaluate(() => window.__probe.long.map(({ duration }) => duration));
    return most(long);
  }

  /** How long the frames are while the wheel turns, from one to the next. */
  async #frames(turns) {
    await this.page.evaluate(() => window.__probe.startFrames());
    const end = Date.now() + TURNING;
    for (const { x = 0, y = 0, modifiers = 0 } of turns) {
      if (Date.now() > end) break;
      await this.#devtools.send("Input.dispatchMouseEvent", {
        type: "mouseWheel",
        x: 800,
        y: 500,
        deltaX: x,
        deltaY: y,
        modifiers,
      });
    }
    const frames = await this.page.evaluate(() => window.__probe.stopFrames());
    frames.sort((a, b) => a - b);
    return { p50: median(frames), p95: frames[Math.floor(frames.length * 0.95)], worst: frames.at(-1) };
  }

  /** Zooms in and out again. */
  zoom() {
    return this.#frames(Array.from({ length: 80 }, (_, i) => ({ y: i < 40 ? -60 : 60, modifiers: CTRL })));
  }

  /** Moves to and fro, zoomed in. */
  async pan() {
    await this.#frames(Array.from({ length: 25 }, () => ({ y: -60, modifiers: CTRL })));
    await this.page.waitForTimeout(500);
    return this.#frames(Array.from({ length: 80 }, (_, i) => ({ x: i < 40 ? 60 : -60 })));
  }

  /** The most memory that the tab has had, in MB: that of the largest of the browser's renderers. */
  peakMemory() {
    const processes = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
    const rows = new Map(processes.map((pid) => [pid, statusOf(pid)]).filter(([, row]) => row));
    const isOurs = (pid) => {
      for (let at = pid; rows.has(at); at = rows.get(at).parent) if (at === String(process.pid)) return true;
      return false;
    };
    const renderers = [...rows].filter(([pid, { renderer }]) => renderer && isOurs(pid));
    return most(renderers.map(([, { peak }]) => peak));
  }
}

function statusOf(pid) {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const field = (name) => new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1];
    const renderer = readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("--type=renderer");
    return { parent: field("PPid"), peak: (Number(field("VmHWM") ?? 0) * 1024) / 1e6, renderer };
  } catch {
    // It has ended meanwhile.
    return null;
  }
}
