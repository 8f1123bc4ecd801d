import assert from "node:assert/strict";
import { test } from "node:test";
import type { SelectedFrame } from "../package/element.mjs";

test("a server that renders pages imports the element and has none", async () => {
  const { PilotlightFlame } = await import("../package/element.mjs");
  assert.deepEqual([...PilotlightFlame.observedAttributes], ["src", "view", "type", "theme"]);
});

test("its types fit what it is used for", () => {
  // Never called: it compiles, or the types are wrong.
  const use = (page: Document) => {
    const heard: (SelectedFrame | null)[] = [];
    const element = page.createElement("pilotlight-flame");
    element.addEventListener("frameselect", ({ detail }) => heard.push(detail));
    element.addEventListener("profileerror", ({ detail }) => page.body.append(detail.message));
    element.src = "cpu.pb.gz";
    element.theme = "dark";
    return element.open(new Blob(["main 1"]), "one.folded");
  };
  assert.equal(use.length, 1);
});
