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

/** How long the page's own thread computed since one last asked, in milliseconds: CPU time, which other programs do not lengthen. */
export async function cpuTimes(page) {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const read = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "TaskDuration").value * 1000;
  };
  let last = await read();
  return async () => {
    const now = await read();
    const used = now - last;
    last = now;
    return used;
  };
}
