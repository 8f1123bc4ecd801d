/** How long the page's own thread was busy at a time: what a person feels as a page that hangs. */

/** A page that is busy for longer hangs. */
export const HANG_MILLIS = 2000;

/** From now on, tasks of more than 50 ms are noted. */
export function watchTasks(page) {
  return page.evaluate(() => {
    window.longTasks = [];
    const note = (list) => window.longTasks.push(...list.getEntries().map(({ duration }) => Math.round(duration)));
    new PerformanceObserver(note).observe({ type: "longtask" });
  });
}

/** Those that were noted since one last asked, in milliseconds. */
export function longTasks(page) {
  return page.evaluate(() => window.longTasks.splice(0));
}
