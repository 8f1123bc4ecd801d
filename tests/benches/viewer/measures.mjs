/** What is measured of a viewer, each in a browser of its own. `viewer` says how a viewer is operated. */
import { gzipSync } from "node:zlib";
import { inTab } from "./tab.mjs";

/** `views` are keys in order, each with the element to wait for where it has no canvas. */
export const VIEWERS = {
  pilotlight: {
    page: "file",
    input: "[data-testid=dropzone]",
    views: [
      ["2", "[data-testid=row]"],
      ["3", "[data-testid=row]"],
      ["4", "[data-testid=treeitem]"],
      ["1", "[data-testid=flame]"],
    ],
  },
  speedscope: {
    page: "index.html",
    input: "input[type=file]",
    views: [["2"], ["3", "tbody tr"]],
  },
};

/** From the change of the file input to the first labels, and the longest task of the main thread until a second later. */
export function open(viewer, address, path) {
  return inTab(address + viewer.page, async (tab) => {
    const labels = await tab.open(viewer.input, path);
    const longest = await tab.longest();
    return { labels, longest };
  });
}

/** The same with all views after it, and how smoothly it moves. */
export function use(viewer, address, path) {
  return inTab(address + viewer.page, async (tab) => {
    const labels = await tab.open(viewer.input, path);
    let longest = await tab.longest();
    const zoom = await tab.zoom();
    const pan = await tab.pan();
    const views = [];
    for (const [key, element] of viewer.views) {
      views.push(await tab.press(key, element));
      await tab.page.waitForTimeout(500);
      longest = Math.max(longest, await tab.longest());
    }
    return { labels, longest, zoom, pan, views, memory: tab.peakMemory() };
  });
}

/** What a person does with an open profile: each to the first labels of the new picture. Of ours alone. */
export function act(address, path) {
  const viewer = VIEWERS.pilotlight;
  return inTab(address + viewer.page, async (tab) => {
    await tab.open(viewer.input, path);
    const times = {};
    let longest = 0;
    const note = async (name, time) => {
      times[name] = time;
      longest = Math.max(longest, await tab.longest());
    };
    const again = async (key) => {
      await tab.page.keyboard.press(key);
      await tab.page.waitForTimeout(1500);
    };
    await note("table", await tab.press("2", "[data-testid=row]"));
    await note("call tree", await tab.press("4", "[data-testid=treeitem]"));
    await again("1");
    for (let i = 0; i < 3; i++) await again("ArrowDown");
    for (const [name, key] of [
      ["focus", "f"],
      ["ignore", "i"],
      ["hide", "h"],
      ["group by file", "g"],
      ["upside down", "v"],
    ]) {
      await note(name, await tab.press(key));
      await again("z");
      for (let i = 0; i < 3; i++) await again("ArrowDown");
    }
    await note("sandwich", await tab.press("b"));
    return { times, longest, memory: tab.peakMemory() };
  });
}

/** Two files, added up when they are opened, and then compared. Of ours alone. */
export function compare(address, first, second) {
  const viewer = VIEWERS.pilotlight;
  return inTab(address + viewer.page, async (tab) => {
    const added = await tab.open(viewer.input, first, second);
    const labels = await tab.click("[data-testid=compare]");
    return { added, labels, longest: await tab.longest(), memory: tab.peakMemory() };
  });
}

/** What a page loads before a file is there, gzipped: WASM, and all else. */
export function transfer(viewer, address) {
  const answers = [];
  const watch = (page) => page.on("response", (response) => answers.push(response));
  const read = async () => {
    const sizes = { wasm: 0, rest: 0 };
    for (const answer of answers) {
      const size = gzipSync(await answer.body(), { level: 9 }).length;
      sizes[answer.url().endsWith(".wasm") ? "wasm" : "rest"] += size;
    }
    return sizes;
  };
  return inTab(address + viewer.page, read, watch);
}
