import assert from "node:assert/strict";
import { test } from "node:test";
import { parseMappings } from "../src/source/mapping.ts";
import { folderOfClass, pageOf, placesOf } from "../src/source/places.ts";

const SHOP = { repository: "https://github.com/acme/shop", ref: "abc", root: "" };
const paths = (file: string, name = "f", code = SHOP, yaml = "") =>
  placesOf({ file, name }, code, yaml ? parseMappings(yaml) : []).map(({ repository, ref, path }) =>
    repository === SHOP.repository && ref === SHOP.ref ? path : `${repository}@${ref}:${path}`,
  );

test("a file of one's own, from where it was built", () => {
  assert.equal(paths("github.com/acme/shop/internal/orders/rules.go")[0], "internal/orders/rules.go");
  assert.equal(paths("/builds/work/shop/shop/cmd/main.go")[0], "cmd/main.go");
  assert.deepEqual(paths("/app/orders/rules.py"), ["app/orders/rules.py", "orders/rules.py"]);
  assert.deepEqual(paths("/app/main.py"), ["app/main.py", "main.py"]);
  assert.deepEqual(paths("server.py"), ["server.py"]);
  assert.deepEqual(paths("C:\\src\\shop\\api\\Program.cs"), [
    "api/Program.cs",
    "src/shop/api/Program.cs",
    "shop/api/Program.cs",
  ]);
  assert.deepEqual(paths("a.py", "f", { ...SHOP, root: "/services/a/" }), ["services/a/a.py"]);
  assert.ok(paths(`/${"a/".repeat(50)}b.py`).length <= 6);
});

test("a relative path of Go is no shorter one, but for what follows the name of the repository", () => {
  assert.deepEqual(paths("errors/errors.go"), ["errors/errors.go"]);
  assert.deepEqual(paths("shop/main.go"), ["main.go", "shop/main.go"]);
});

test("what leads out of the repository, and what others wrote, is not looked for", () => {
  for (const file of [
    "../../etc/passwd",
    "/usr/lib/python3/json/decoder.py",
    "/app/node_modules/x/y.js",
    "/usr/local/go/src/runtime/proc.go",
  ])
    assert.deepEqual(paths(file), [], file);
});

test("modules of Go are at their own repositories", () => {
  for (const [file, place] of [
    ["/go/pkg/mod/github.com/!azure/go-x@v1.2.3/a/b.go", "https://github.com/Azure/go-x@v1.2.3:a/b.go"],
    ["golang.org/x/net@v0.20.0/http2/server.go", "https://github.com/golang/net@v0.20.0:http2/server.go"],
    ["github.com/a/b/v2@v2.0.1/c.go", "https://github.com/a/b@v2.0.1:c.go"],
    ["github.com/a/b/sub@v0.3.0/c.go", "https://github.com/a/b@sub/v0.3.0:sub/c.go"],
    ["github.com/a/b@v0.0.0-20240101120000-0123456789ab/c.go", "https://github.com/a/b@0123456789ab:c.go"],
    ["github.com/a/b@v4.0.0+incompatible/c.go", "https://github.com/a/b@v4.0.0:c.go"],
  ])
    assert.deepEqual(paths(file), [place]);
});

test("a class is in the folder of its package", () => {
  for (const name of ["org.example.Rides.order", "org/example/Rides.order", "org.example.Rides$Order.total(int, a.B)"])
    assert.equal(folderOfClass(name), "org/example", name);
  assert.equal(folderOfClass("main"), "");
  assert.deepEqual(paths("Rides.java", "org.example.Rides.order"), [
    "src/main/java/org/example/Rides.java",
    "org/example/Rides.java",
  ]);
  assert.equal(paths("Rides.kt", "org.example.Rides.order")[0], "src/main/kotlin/org/example/Rides.kt");
});

const YAML = `
version: v1
source_code:
  mappings:
    - path: [{ prefix: /usr/local/go/src }]
      language: go
      source: { github: { owner: golang, repo: go, ref: go1.24.8, path: src } }
    - function_name: [{ prefix: org/example }, { prefix: com.acme }]
      language: java
      source: { local: { path: src/main/java } }
    - path: [{ prefix: /app }]
      source: { local: { path: . } }
    - path: [{ prefix: /app/lib }]
      source: { local: { path: library } }
`;

test("a mapping says it better", () => {
  const mapped = (file: string, name = "f") => paths(file, name, SHOP, YAML);
  assert.deepEqual(mapped("/usr/local/go/src/runtime/proc.go"), [
    "https://github.com/golang/go@go1.24.8:src/runtime/proc.go",
  ]);
  assert.deepEqual(mapped("Rides.java", "org.example.Rides.order"), ["src/main/java/org/example/Rides.java"]);
  assert.deepEqual(mapped("Cart.java", "com/acme/shop/Cart.add"), ["src/main/java/com/acme/shop/Cart.java"]);
  assert.deepEqual(mapped("/app/a/b.py"), ["a/b.py"]);
  assert.deepEqual(mapped("/app/lib/b.py"), ["library/b.py"], "the longest prefix");
});

test("a mapping file that makes no sense says why", () => {
  assert.deepEqual(parseMappings("version: v1"), []);
  for (const [yaml, says] of [
    ["version: v2", /version must be v1 \(got "v2"\)/],
    ["source_code: {mappings: 1}", /must be a list/],
    ["source_code: {mappings: [{source: {local: {path: a}}}]}", /mapping 1 needs a path or function_name prefix/],
    ["source_code: {mappings: [{path: [{prefix: a}]}]}", /mapping 1 needs a source: local or github/],
    [
      "source_code: {mappings: [{path: [{prefix: a}], source: {github: {owner: a}}}]}",
      /needs source\.github\.owner and repo/,
    ],
    ["a: [", /./],
  ] as const)
    assert.throws(() => parseMappings(yaml), { message: says });
});

test("the page of a file", () => {
  const place = { repository: "https://github.com/acme/shop.git", ref: "feature/x", path: "a b/c.go" };
  assert.equal(pageOf(place, 7), "https://github.com/acme/shop/blob/feature/x/a%20b/c.go#L7");
  const lab = { ...place, repository: "https://gitlab.com/acme/shop" };
  assert.equal(pageOf(lab, 0), "https://gitlab.com/acme/shop/-/blob/feature/x/a%20b/c.go");
  assert.equal(pageOf({ ...place, repository: "https://git.acme.dev/a/b" }, 1), null);
  assert.equal(pageOf({ ...place, repository: "javascript:alert(1)" }, 1), null);
});
