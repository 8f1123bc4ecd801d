import assert from "node:assert/strict";
import { test } from "node:test";
import { type Core, CoreError, type Reply, type Request } from "../src/core/core.ts";
import { localCore } from "../src/core/local.ts";
import { remoteCore } from "../src/core/remote.ts";
import type { Engine } from "../src/core/viewer.ts";

/** A worker that records what it is asked; the test answers. */
class FakeWorker {
  asked: { request: Request; transfer: Transferable[] }[] = [];
  onmessage: ((event: { data: Reply }) => void) | null = null;
  onerror: ((event: { message: string }) => void) | null = null;
  postMessage(request: Request, transfer: Transferable[]) {
    this.asked.push({ request, transfer });
  }
  answer(i: number, reply: Omit<Reply, "id">) {
    this.onmessage?.({ data: { id: this.asked[i].request.id, ...reply } });
  }
}

function remote(): { worker: FakeWorker; core: Core } {
  const worker = new FakeWorker();
  return { worker, core: remoteCore(worker as unknown as Worker) };
}

test("worker form: answers find their question in whatever order they come", async () => {
  const { worker, core } = remote();
  const [first, second] = [core.step(1, 2, "child"), core.key(1, 2)];
  worker.answer(1, { value: "abc" });
  worker.answer(0, { value: 7 });
  assert.deepEqual([await first, await second], [7, "abc"]);
  assert.deepEqual(
    worker.asked.map(({ request }) => [request.call, request.args]),
    [
      ["step", [1, 2, "child"]],
      ["key", [1, 2]],
    ],
  );
});

test("worker form: file bytes move instead of being copied", () => {
  const { worker, core } = remote();
  const bytes = new Uint8Array([1, 2, 3]);
  void core.open("a", bytes);
  assert.deepEqual(worker.asked[0].transfer, [bytes.buffer]);
});

test("worker form: errors keep their message, and a dead worker fails every question", async () => {
  const { worker, core } = remote();
  const [refused, stranded] = [core.tree(1, 0, [], false), core.tree(2, 0, [], false)];
  worker.answer(0, { error: "no such profile", fatal: false, kind: "damaged" });
  worker.onerror?.({ message: "" });
  await assert.rejects(
    refused,
    (e: CoreError) => e instanceof CoreError && e.message === "no such profile" && !e.fatal && e.kind === "damaged",
  );
  await assert.rejects(stranded, (e: CoreError) => e.fatal);
});

test("same-thread form: the same answers and the same errors", async () => {
  const engine = {
    key: (tree: number, node: number) => `${tree}/${node}`,
    tree: () => {
      throw new Error("internal error: unreachable");
    },
    find: () => {
      throw new Error("no such tree");
    },
  } as unknown as Engine;
  const core = localCore(Promise.resolve(engine));
  assert.equal(await core.key(1, 2), "1/2");
  await assert.rejects(core.tree(1, 0, [], false), (e: CoreError) => e instanceof CoreError && e.fatal);
  await assert.rejects(core.find(1, "x"), (e: CoreError) => e.message === "no such tree" && !e.fatal);
});
