/**
 * The clock of the tests: PILOTLIGHT_DAYS_AHEAD, a number of days, moves the date of every program of Node that imports this.
 * `cargo xtask test` has all of its tests do so, and browser.mjs moves the date of pages. Durations stay as they are.
 */

/** How far the tests' clock is ahead of this machine's, milliseconds. */
export const AHEAD = Math.round(Number(process.env.PILOTLIGHT_DAYS_AHEAD ?? 0) * 86_400_000);
if (Number.isNaN(AHEAD))
  throw new Error(`PILOTLIGHT_DAYS_AHEAD is "${process.env.PILOTLIGHT_DAYS_AHEAD}", not a number`);

function moveDate(ahead) {
  const System = Date;
  const now = () => System.now() + ahead;
  globalThis.Date = new Proxy(System, {
    construct: (_, words, made) => Reflect.construct(System, words.length > 0 ? words : [now()], made),
    apply: () => new System(now()).toString(),
    get: (_, name) => (name === "now" ? now : Reflect.get(System, name)),
  });
}

/** A script that does the same to a page or its worker; empty where nothing is moved. */
export const SCRIPT = AHEAD === 0 ? "" : `(${moveDate})(${AHEAD});\n`;

if (AHEAD !== 0) moveDate(AHEAD);

/** Milliseconds since the epoch by this machine's clock, which the bucket under workerd has: nothing moves it. */
export const machineMillis = () => Date.now() - AHEAD;
