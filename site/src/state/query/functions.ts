/** Functions as the server lists them, and how many questions a panel asks at once. */

/** Of `GET /api/v1/functions`. */
export interface FunctionsAnswer {
  profiles: number;
  total: number;
  unit: string;
  rounded: boolean;
  functions: { name: string; file: string; self: number; total: number }[];
  coverage: { functions: number; shown: number };
}

/** Questions that one panel has under way: a server makes one large answer at a time. */
const AT_ONCE = 4;

/** The answers to all questions, in their order. The first failure ends it. */
export async function askInTurn<Q, A>(
  questions: Q[],
  ask: (question: Q) => Promise<A>,
  stopped: AbortSignal,
): Promise<A[]> {
  const answers = new Array<A>(questions.length);
  let next = 0;
  let failed = false;
  const walk = async () => {
    while (next < questions.length && !failed && !stopped.aborted) {
      const at = next++;
      try {
        answers[at] = await ask(questions[at]);
      } catch (failure) {
        failed = true;
        throw failure;
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, walk));
  stopped.throwIfAborted();
  return answers;
}
