/** Stopping what the engine does for a batch of files. */
import { core } from "../../core/index.ts";

/**
 * The engine cannot be stopped halfway; its readers can. What comes of work after a cancel is put away, and so is what came
 * before it: `made` names the profiles.
 */
export function untilAborted<T>(work: Promise<T>, made: (result: T) => number[], signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => {
      reject(signal.reason);
      void core.stopReaders();
      work
        .then((result) => {
          for (const id of made(result)) void core.close(id);
        })
        .catch(() => {});
    });
    work.then(resolve, reject);
  });
}
