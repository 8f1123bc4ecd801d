/** The state of alerts, and what pages that list none say of it. */
import { plural } from "../../format/value.ts";

/** The fields of an alert that its status depends on. */
interface AlertState {
  name: string;
  firing: unknown[];
  error: string;
  evaluated: number;
  silenced_until: number;
}

export type AlertStatus = "error" | "firing" | "unknown" | "ok";

/** Alerts are evaluated each minute. What is older than this, in milliseconds, says nothing of now. */
const STALE = 15 * 60_000;

export function statusOf({ error, firing, evaluated }: AlertState, now: number): AlertStatus {
  if (error) return "error";
  if (firing.length > 0) return "firing";
  return now - evaluated > STALE ? "unknown" : "ok";
}

export function isSilenced({ silenced_until }: Pick<AlertState, "silenced_until">, now: number): boolean {
  return silenced_until > now;
}

/** "2 alerts, 1 firing": the alerts on a rule. */
export function watchWords(alerts: AlertState[], now: number): string {
  const firing = alerts.filter((alert) => statusOf(alert, now) === "firing").length;
  const words = plural(alerts.length, "alert");
  if (firing === 0) return words;
  return alerts.length === 1 ? `${words}, firing` : `${words}, ${firing} firing`;
}

/** What deleting a rule does to the alerts on it. */
export function lossWords(alerts: AlertState[]): string {
  if (alerts.length === 0) return "Dashboards that use it will have no data.";
  const watching =
    alerts.length === 1 ? `The alert “${alerts[0].name}” watches it` : `${plural(alerts.length, "alert")} watch it`;
  return `${watching} and will no longer fire. Dashboards that use it will have no data.`;
}
