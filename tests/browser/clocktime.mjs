/** Times as the pages write them: "14:03", with the day before it where it isn't today, so in tests that run around midnight. */

/** Matches one, for use in a regular expression. */
export const CLOCK_TIME = String.raw`(?:\d+ \w+ )?\d\d:\d\d`;

/** How many minutes lie between the last "14:03" in a text and an instant, around the clock: 00:01 is two minutes from 23:59. */
export function minutesFrom(text, instant) {
  const [, hours, minutes] = /(\d\d):(\d\d)(?!.*\d\d:\d\d)/.exec(text);
  const date = new Date(instant);
  const apart = Math.abs(Number(hours) * 60 + Number(minutes) - date.getHours() * 60 - date.getMinutes());
  return Math.min(apart, 24 * 60 - apart);
}
