/** Many questions of a panel, a few at a time. */

/** A server answers so many at once without keeping the rest of the page waiting. */
const AT_ONCE = 4;

/** The answers in the order of the questions. The first failure ends it. */
export async function pooled<Q, A>(questions: Q[], ask: (question: Q) => Promise<A>): Promise<A[]> {
  const answers = new Array<A>(questions.length);
  let next = 0;
  const one = async () => {
    while (next < questions.length) {
      const at = next++;
      answers[at] = await ask(questions[at]);
    }
  };
  await Promise.all(questions.slice(0, AT_ONCE).map(one));
  return answers;
}
