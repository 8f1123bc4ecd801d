/** Many questions of the panels, a few at a time. */
import { queue } from "../queue.ts";

/** Questions that are under way: a server makes one large answer at a time. */
const AT_ONCE = 4;
const underWay = queue(AT_ONCE);

/** The answers to all questions, in their order, a few at a time. The first failure ends it. */
export async function askInTurn<Q, A>(
  questions: Q[],
  ask: (question: Q) => Promise<A>,
  stopped: AbortSignal,
): Promise<A[]> {
  let failed = false;
  const one = (question: Q) =>
    underWay.run(async () => {
      stopped.throwIfAborted();
      if (failed) throw new DOMException("another request failed", "AbortError");
      try {
        return await ask(question);
      } catch (failure) {
        failed = true;
        throw failure;
      }
    });
  return Promise.all(questions.map(one));
}
