/** What is said of answers in which windows count as a whole. */
export const ROUNDED =
  "Parts of the range count as whole minutes, hours or days: their profiles have expired, and sums are left.";
