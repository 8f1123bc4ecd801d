// Makes the one request of `cargo xtask token`, and prints what came of it for a person.
const { url, method, body } = JSON.parse(process.env.REQUEST);
const token = process.env.PILOTLIGHT_TOKEN;

function fail(message) {
  console.error(message);
  process.exit(1);
}

const response = await fetch(url, {
  method,
  signal: AbortSignal.timeout(30_000),
  headers: { ...(token && { authorization: `Bearer ${token}` }), ...(body && { "content-type": "application/json" }) },
  body: body && JSON.stringify(body),
}).catch((error) => fail(`${url} does not answer: ${error.cause?.message ?? error.message}`));
const text = await response.text();
let answer;
try {
  answer = JSON.parse(text);
} catch {
  fail(`${url} answers ${response.status}, and not as Pilotlight does`);
}
if (!response.ok) fail(`${url} answers ${response.status}: ${answer.message}`);

const time = (millis) => (millis === null || millis === undefined ? "-" : new Date(millis).toISOString().slice(0, 16));
const row = (one) => [
  one.id,
  one.tenant,
  one.scopes.join(","),
  time(one.created),
  time(one.expires),
  time(one.revoked),
  time(one.last_used),
  one.name,
];
if (answer.tokens) {
  const head = ["id", "tenant", "scopes", "created", "expires", "revoked", "last used", "name"];
  const rows = [head, ...answer.tokens.map(row)];
  const widths = head.map((_, at) => Math.max(...rows.map((cells) => cells[at].length)));
  for (const cells of rows) console.log(cells.map((cell, at) => cell.padEnd(widths[at])).join("  ").trimEnd());
} else if (answer.token) {
  console.log(`${answer.token}\n\nThis is the only time that it is shown. Its id is ${answer.id}.`);
} else {
  console.log(`revoked ${answer.id}; every worker knows within 30 seconds`);
}
