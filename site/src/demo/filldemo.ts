/** Demo data: made up and pushed by a worker of this page, and deleted again. */
import { DEMO } from "../../package/pushdemo.mjs";
import { askServer, json } from "../api.ts";
import { ApiError } from "../apierror.ts";
import { base } from "../base.ts";
import { trackWork } from "../settled.ts";
import { type FillProgress, filling, rememberDemoData } from "../state/page/demodata.ts";
import { askForToken, authorization, token } from "../state/page/token.ts";

/** What the worker is asked: to push an hour that ends then, in seconds since the epoch. */
export interface FillRequest {
  url: string;
  headers: Record<string, string>;
  end: number;
}

/** What the worker answers. `status` is null where it is not the server that failed. */
export type FillReply = FillProgress | { filled: true } | { status: number | null; message: string };

/** Pushes the hour until now. Throws an `ApiError` where the server does not accept it. */
export async function fillWithDemo(): Promise<void> {
  filling.value = { done: 0, profiles: 0 };
  const sent = token.peek();
  const worker = new Worker(new URL("./pusher.ts", import.meta.url), { type: "module", name: "pilotlight demo" });
  const filled = new Promise<void>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<FillReply>) => {
      if ("filled" in data) resolve();
      else if ("profiles" in data) {
        filling.value = data;
        // What is there already can be deleted, also if the rest fails.
        rememberDemoData(true);
      } else {
        if (data.status === 401) askForToken(sent);
        reject(failureOf(data));
      }
    };
    worker.onerror = (event) => reject(new Error(event.message || "the generator did not start"));
  });
  worker.postMessage({
    url: base.href,
    headers: authorization(sent),
    end: Math.floor(Date.now() / 1000),
  } satisfies FillRequest);
  await trackWork(filled).finally(() => {
    worker.terminate();
    filling.value = null;
  });
}

function failureOf({ status, message }: { status: number | null; message: string }): Error {
  if (status === null) return new Error(message);
  return status === 0
    ? new ApiError("network", message)
    : new ApiError("refused", message, { status, reason: message });
}

/** Whether this browser may delete profiles: the same scope lists deletions. Asks for no token. */
export async function mayDelete(): Promise<boolean> {
  const headers = authorization(token.peek());
  const response = await fetch(new URL("api/v1/admin/deletions", base), { headers }).catch(() => null);
  await response?.body?.cancel();
  return response?.ok ?? false;
}

/** Tells the server to delete all demo data. It does so within minutes. */
export async function deleteDemoData(): Promise<void> {
  const params = { query: DEMO, from: "0", until: String(Date.now()) };
  await askServer("admin/profiles", params, null, { method: "DELETE" });
}

/** Whether the server has demo data left to delete. */
export async function isDeleting(signal: AbortSignal): Promise<boolean> {
  type Answer = { deletions: { query: string }[] };
  const { deletions } = await json<Answer>("admin/deletions", {}, signal);
  return deletions.some(({ query }) => query === DEMO);
}
