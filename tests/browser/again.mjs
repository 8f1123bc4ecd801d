/**
 * Once more what wrangler answers in the worker's place: where it and the worker close an idle connection at the same time,
 * it refuses whatever is no GET (cloudflare/workers-sdk#14641).
 */
const LOST = "Your worker restarted mid-request";
const send = globalThis.fetch;

globalThis.fetch = async (...asked) => {
  const answer = await send(...asked);
  const lost = answer.status === 503 && (await answer.clone().text()).startsWith(LOST);
  return lost ? send(...asked) : answer;
};

/** The same for a client of Connect, to which the worker's own refusals say more than their status. */
export const again = (next) => async (request) => {
  try {
    return await next(request);
  } catch (failure) {
    if (failure.rawMessage !== "HTTP 503") throw failure;
    return next(request);
  }
};
