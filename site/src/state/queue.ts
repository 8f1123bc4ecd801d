/** Runs jobs in the order of the calls, at most `atOnce` at a time. A job that fails doesn't stop the next. */
export function queue(atOnce = 1) {
  const waiting: (() => void)[] = [];
  let running = 0;
  const run = async <T>(work: () => Promise<T>): Promise<T> => {
    if (running < atOnce) running++;
    else await new Promise<void>((go) => waiting.push(go));
    try {
      return await work();
    } finally {
      // The next one takes this one's place.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
  return { run, isIdle: () => running === 0 };
}
