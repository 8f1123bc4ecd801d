import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { test } from "node:test";
// @ts-expect-error: the package's own scripts have no types.
import { filesIn, labelsOfPath, nameOf } from "../package/paths.mjs";

test("paths say service and labels", () => {
  const says = (path: string, service?: string) => labelsOfPath(path, service);
  assert.deepEqual(says("api/v2/api.pb.gz"), { file: "api", service_name: "api" });
  assert.deepEqual(says("cpu/eu/cpu.pb.gz"), { file: "cpu", service_name: "cpu" });
  assert.equal(says("checkout/version=1.2.3.pb.gz").version, "1.2.3");
  assert.equal(says("checkout/region=eu,version=1.2/cpu.pb").version, "1.2");
  assert.equal(says("checkout/cpu.pb.gz", "app").service_name, "checkout");
  assert.equal(says("cpu.pb.gz", "app").service_name, "app");
  assert.equal(says("cpu.pb.gz").service_name, "cpu");
  assert.equal(says("checkout/service_name=mail/cpu.pb").service_name, "mail");
});

test("labels are written as `/ingest` reads them", () => {
  assert.equal(nameOf("checkout", { env: "ci", version: "1.2.3" }), "checkout{env=ci,version=1.2.3}");
  assert.equal(nameOf("checkout", {}), "checkout");
  assert.throws(() => nameOf("a", { region: "eu,us" }), /region is "eu,us": label values/);
});

test("links are followed, once, and what begins with a dot is left out", () => {
  const folder = mkdtempSync(join(tmpdir(), "profiles-"));
  const [inside, outside] = [join(folder, "in"), join(folder, "out")];
  for (const path of [join(inside, ".git"), join(inside, "a"), outside]) mkdirSync(path, { recursive: true });
  for (const path of [join(inside, ".git/HEAD"), join(inside, "a/cpu.pb"), join(outside, "heap.pb")])
    writeFileSync(path, "x");
  symlinkSync(join(outside, "heap.pb"), join(inside, "linked.pb"));
  symlinkSync(outside, join(inside, "b"));
  symlinkSync(inside, join(inside, "a/loop"));
  const found = filesIn(inside).map((path: string) => relative(inside, path));
  assert.deepEqual(found, ["a/cpu.pb", "b/heap.pb", "linked.pb"]);
  rmSync(folder, { recursive: true });
});
