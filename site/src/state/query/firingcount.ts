import { plural } from "../../format/value.ts";

/** What of an alert the front page needs, which loads little before it shows services. */
interface Firing {
  firing: unknown[];
  error: string;
  silenced_until: number;
}

/** "1 alert is firing"; empty when none is that someone should look at. */
export function firingCountWords(alerts: Firing[], now: number): string {
  const isTold = ({ firing, error, silenced_until }: Firing) => firing.length > 0 && !error && silenced_until <= now;
  const count = alerts.filter(isTold).length;
  return count === 0 ? "" : `${plural(count, "alert")} ${count === 1 ? "is" : "are"} firing`;
}
