/** The alerts of the server with their history and receivers, and when an alert would have fired. */
import { signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { askServer, json, posted } from "../../api.ts";
import { trackWork } from "../../settled.ts";
import type { Span } from "../../time/range.ts";
import { problemOf } from "../problem.ts";
import { type Loaded, resource } from "../resource.ts";
import { clock } from "../url/clock.ts";
import type { Alert, AlertKind, Firing, Labels, ListedAlert } from "./alert.ts";
import { placeOf } from "./place.ts";

/** A change of an alert's series, newest first in a list. */
export interface AlertEvent {
  /** The id of the alert. */
  alert: string;
  name: string;
  at: number;
  /** When it began to fire, which the first evaluation of an alert finds later; 0 for changes before it was stored. */
  since?: number;
  status: "firing" | "resolved";
  labels: Labels;
  value: number;
  /** Of the alert at that time; null for changes before the server stored it. */
  kind: AlertKind | null;
  /** Of the value; empty for changes before the server stored it. */
  unit: string;
  /** Whether a change or deletion of the alert or its rule ended it. */
  changed?: boolean;
}

export type ReceiverKind = "webhook" | "slack" | "alertmanager";

export interface Receiver {
  name: string;
  kind: ReceiverKind;
  host: string;
  /** When a message was last delivered; 0 for never. */
  sent: number;
  /** Why the last message wasn't delivered; empty when it was. */
  error: string;
  /** Messages that will be sent again. */
  waiting: number;
}

interface Alerts {
  alerts: ListedAlert[];
  history: AlertEvent[];
  receivers: Receiver[];
}

/** Raised by each change, so that all is loaded again. */
const changes = signal(0);
/** How many components show alerts or receivers. */
const shown = signal(0);

const alerts = resource(
  "list the alerts",
  () => (shown.value > 0 && placeOf("base") === "" ? { at: clock.value, changes: changes.value } : null),
  (_, stopped) => json<Alerts>("alerts", {}, stopped),
);

/** What the server has, for a component that is seen. */
export function useAlerts(): Loaded<Alerts> {
  useEffect(() => {
    shown.value++;
    return () => {
      shown.value--;
    };
  }, []);
  return alerts.value;
}

/** Fails as the API does, like all that change something. */
export async function saveAlert(alert: Alert): Promise<Alert> {
  return changed(json<Alert>("alerts", {}, null, posted(alert)));
}

export async function deleteAlert(id: string): Promise<void> {
  await changed(askServer("alerts", { id }, null, { method: "DELETE" }));
}

/** A new receiver, or one that replaces that of its name. */
export interface ReceiverDraft {
  name: string;
  kind: ReceiverKind;
  url: string;
  token: string;
}

export async function saveReceiver(receiver: ReceiverDraft): Promise<void> {
  await changed(askServer("receivers", {}, null, posted(receiver)));
}

export async function deleteReceiver(name: string): Promise<void> {
  await changed(askServer("receivers", { name }, null, { method: "DELETE" }));
}

/** Sends a test message; the status is that of the receiver's response. */
export async function testReceiver(name: string): Promise<number> {
  const { status } = await changed(json<{ status: number }>("receivers/test", { name }, null, { method: "POST" }));
  return status;
}

/** Also after a failure: another's change may be the reason, and a test tells of itself in the list. */
async function changed<T>(request: Promise<T>): Promise<T> {
  try {
    return await request;
  } finally {
    changes.value++;
  }
}

interface AlertPreview {
  firings: Firing[];
  unit: string;
  kind: AlertKind;
}

/** While someone types, the server isn't asked for each digit. */
const PAUSE = 400;

/** When an alert would have fired in a span; null for what can't be asked yet. While another answer loads, one of the same kind stays. */
export function useAlertPreview(alert: Alert | null, span: Span): Loaded<AlertPreview> {
  const loaded = useSignal<Loaded<AlertPreview>>({ state: "idle" });
  // Neither changes when it fires.
  const asked = JSON.stringify(alert && { ...alert, name: "preview", receivers: [], silenced_until: 0 });
  useEffect(() => {
    const stop = new AbortController();
    void trackWork(preview(JSON.parse(asked) as Alert | null, stop.signal));
    return () => stop.abort();
  }, [asked, span.from, span.until]);
  return loaded.value;

  async function preview(alert: Alert | null, stopped: AbortSignal) {
    if (!alert) {
      loaded.value = { state: "idle" };
      return;
    }
    const former = loaded.peek().value;
    loaded.value = { state: "loading", value: former?.kind === alert.kind ? former : undefined };
    const [from, until] = [span.from, span.until].map((time) => String(Math.round(time)));
    try {
      await new Promise((go) => setTimeout(go, PAUSE));
      if (stopped.aborted) return;
      type Answer = Omit<AlertPreview, "kind">;
      const answer = await json<Answer>("alerts/preview", { from, until }, stopped, posted(alert));
      if (!stopped.aborted) loaded.value = { state: "ready", value: { ...answer, kind: alert.kind } };
    } catch (failure) {
      if (!stopped.aborted) loaded.value = { state: "error", problem: problemOf(failure, "preview the alert") };
    }
  }
}
