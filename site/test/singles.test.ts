import assert from "node:assert/strict";
import { test } from "node:test";
import { columnsOf, largestOf, singlesOf } from "../src/time/singlecells.ts";

const minute = 60_000;

test("columns cover a range to the millisecond", () => {
  for (const [from, until] of [
    [0, minute],
    [7, 72 * minute + 7],
    [1, 2],
    [0, 333_000],
    [1_795_000_000_123, 1_797_592_000_123],
  ]) {
    const { start, end, step, columns } = columnsOf({ from, until });
    assert.ok(columns >= 1 && columns <= 72, `${columns}`);
    // The first bucket covers what lies behind start - step.
    assert.equal(start - step, from - 1);
    assert.ok(end >= until - 1 && end - step < until - 1, `${from} ${until}`);
    assert.ok(end - (until - 1) < 72, "nothing behind the range is counted");
    assert.equal((end - start) / step + 1, columns);
  }
});

test("cells of an answer, with the largest of each", () => {
  const range = { from: 0, until: 72 * minute };
  const yMin = [10, 20, 30, 40];
  const exemplar = (timestamp: number, value: number) => ({
    timestamp: String(timestamp),
    profileId: `p${value}`,
    value: String(value),
    labels: [{ name: "region", value: "eu" }],
  });
  const found = singlesOf(
    {
      series: [
        {
          slots: [
            {
              timestamp: String(minute - 1),
              yMin,
              counts: [2, 0, 0, 1],
              exemplars: [exemplar(5, 12), exemplar(9, 50)],
            },
            { timestamp: String(3 * minute - 1), yMin, counts: [0, 3, 0, 0], exemplars: [exemplar(7, 29)] },
          ],
        },
      ],
    },
    range,
  );
  assert.deepEqual(
    found.cells.map(({ column, row, count, largest }) => [column, row, count, largest?.value]),
    [
      [0, 0, 2, 12],
      [0, 3, 1, 50],
      [2, 1, 3, 29],
    ],
  );
  assert.deepEqual([found.count, found.bottom, found.top, found.rows, found.columns], [6, 10, 50, 4, 72]);
  assert.deepEqual(
    largestOf(found)
      .slice(0, 2)
      .map(({ value }) => value),
    [50, 29],
  );
});

test("an empty answer, and one whose values are all alike", () => {
  const range = { from: 0, until: minute };
  const nothing = singlesOf({}, range);
  assert.deepEqual([nothing.count, nothing.cells, largestOf(nothing)], [0, [], []]);
  const alike = { timestamp: "999", yMin: [5, 5, 5], counts: [4, 0, 0], exemplars: [{ timestamp: "3", value: "5" }] };
  const { bottom, top, cells } = singlesOf({ series: [{ slots: [alike] }] }, range);
  assert.deepEqual([bottom, top, cells.length, cells[0].count], [5, 5, 1, 4]);
});
