/** Many questions of the panels, a few at a time. */

/** Questions that are under way: a server makes one large answer at a time. */
const AT_ONCE = 4;

let running = 0;
const waiting: (() => void)[] = [];

/** The answers to all questions, in their order, a few at a time. The first failure ends it. */
export async function askInTurn<Q, A>(
  questions: Q[],
  ask: (question: Q) => Promise<A>,
  stopped: AbortSignal,
): Promise<A[]> {
  let failed = false;
  const one = (question: Q) =>
    inTurn(async () => {
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

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running < AT_ONCE) running++;
  else await new Promise<void>((go) => waiting.push(go));
  try {
    return await work();
  } finally {
    // The next one takes this one's place.
    const next = waiting.shift();
    if (next) next();
    else running--;
  }
}
