import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../src/apierror.ts";
import { halves, inParts } from "../src/state/query/parts.ts";
import type { Span } from "../src/time/range.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const tooLarge = () => new ApiError("refused", "413", { status: 413 });

test("a range is halved where sums begin", () => {
  const middle = (from: number, until: number) => halves({ from, until })[0]?.until;
  assert.equal(middle(5, 30 * DAY), 15 * DAY);
  assert.equal(middle(DAY + 5, 2 * DAY + 9), DAY + 12 * HOUR);
  assert.equal(middle(HOUR + 7, 2 * HOUR), HOUR + 30 * MINUTE);
  assert.equal(middle(7, 2 * MINUTE), MINUTE);
  assert.equal(middle(500, 2500), 2000);
  assert.deepEqual(halves({ from: 0, until: 1999 }), []);
  for (let length = 2000; length < 40 * DAY; length = Math.ceil(length * 1.7)) {
    const from = 1_700_000_000_123;
    const [first, second] = halves({ from, until: from + length });
    assert.deepEqual([first.from, second.until, first.until], [from, from + length, second.from]);
    assert.ok(first.until > from && second.from < from + length, String(length));
  }
});

test("parts cover the range, each once and in order", async () => {
  const asked: Span[] = [];
  const ask = async (part: Span) => {
    asked.push(part);
    if (part.until - part.from > 15 * MINUTE) throw tooLarge();
    return part;
  };
  const range = { from: HOUR + 1, until: 2 * HOUR + 1 };
  const parts = await inParts(range, ask);
  assert.deepEqual([parts[0].from, parts.at(-1)?.until], [range.from, range.until]);
  assert.ok(parts.length >= 4 && parts.length <= 6, `${parts.length} parts`);
  for (const [at, part] of parts.slice(1).entries()) assert.equal(part.from, parts[at].until);
  assert.equal(asked.length, 2 * parts.length - 1);
  assert.deepEqual(await inParts({ from: 0, until: MINUTE }, ask), [{ from: 0, until: MINUTE }]);
});

test("what does not fit however short it is, and other failures, are told", async () => {
  await assert.rejects(
    inParts({ from: 0, until: 5000 }, async () => Promise.reject(tooLarge())),
    { status: 413 },
  );
  let calls = 0;
  const busy = async () => {
    calls++;
    throw new ApiError("refused", "503", { status: 503 });
  };
  await assert.rejects(inParts({ from: 0, until: DAY }, busy), { status: 503 });
  assert.equal(calls, 1);
});
