/** What is said of answers in which windows count as a whole. */
export const ROUNDED =
  "Parts of the range are rounded to whole minutes, hours or days: their profiles have expired, and only totals remain.";
