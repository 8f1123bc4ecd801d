/** An answer of `GET /api/v1/alerts` with all that a list of alerts can have, for pages whose server has nothing that fires. */

const minute = 60_000;

/** Alerts on two rules: one on a function by region, and one on entire profiles. */
export function alertAnswer({ ofFunction, ofService }, now = Date.now()) {
  const alert = {
    threshold: 1.5,
    minutes: 5,
    for_minutes: 1,
    version_label: "",
    receivers: [],
    silenced_until: 0,
    generation: 1,
    unit: "cores",
    firing: [],
    error: "",
    evaluated: now - 2 * minute,
  };
  const alerts = [
    {
      ...alert,
      id: "firingaaaa",
      name: "Matching uses more CPU",
      rule: ofFunction,
      kind: "above",
      firing: [
        { labels: { region: "eu" }, since: now - 20 * minute, value: 2.1 },
        { labels: { region: "us" }, since: now - 10 * minute, value: 1.7 },
      ],
    },
    {
      ...alert,
      id: "silentaaaa",
      name: "A new function",
      rule: ofService,
      kind: "new_function",
      threshold: 5,
      unit: "%",
      receivers: ["ops"],
      // Tomorrow, whatever the hour: the longest words that a silence has.
      silenced_until: now + 24 * 60 * minute,
      firing: [{ labels: { function: "main.brandNew" }, since: now - 30 * minute, value: 34.2 }],
    },
    {
      ...alert,
      id: "erroraaaaa",
      name: "Slower than the version before",
      rule: ofService,
      kind: "grew",
      threshold: 20,
      unit: "%",
      version_label: "version",
      error: "the label version has too many values",
    },
    { ...alert, id: "okaaaaaaaa", name: "Quiet", rule: ofService, kind: "silent", unit: "" },
    { ...alert, id: "neweraaaaa", name: "Yet to come", rule: ofService, kind: "below", evaluated: 0 },
    { ...alert, id: "orphanaaaa", name: "Of a deleted rule", rule: "gonegonego", kind: "above", error: "no such rule" },
  ];
  const event = (status, ago, { id, name, kind, unit }, value, labels = {}) => ({
    alert: id,
    name,
    at: now - ago * minute,
    status,
    labels,
    value,
    kind,
    unit,
  });
  const history = [
    { ...event("firing", 20, alerts[0], 2.1, { region: "eu" }), since: now - 50 * minute },
    event("resolved", 200, alerts[2], 12),
    event("firing", 220, alerts[2], 39),
    {
      ...event("resolved", 1490, { id: "deletedaaa", name: "A deleted one", kind: "above", unit: "bytes" }, 2 ** 21),
      changed: true,
    },
    event("firing", 1500, { id: "deletedaaa", name: "A deleted one", kind: "above", unit: "bytes" }, 3 * 2 ** 20),
    event("firing", 1600, { ...alerts[3], unit: "min" }, 7),
    event("firing", 1700, { id: "deletedaaa", name: "A deleted one", kind: null, unit: "" }, 3),
  ];
  const receivers = [
    { name: "ops", kind: "slack", host: "hooks.slack.com", sent: now - 12 * minute, error: "", waiting: 0 },
    {
      name: "oncall",
      kind: "webhook",
      host: "hooks-of-the-on-call-rotation.internal.example.com:8443",
      sent: 0,
      error: "hooks-of-the-on-call-rotation.internal.example.com:8443 answered with status 404",
      waiting: 3,
    },
  ];
  return { alerts, history, receivers };
}
