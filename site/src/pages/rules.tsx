import { Icon } from "../components/controls/icon.tsx";
import { Header } from "../components/header/header.tsx";
import { RangePicker } from "../components/query/rangepicker.tsx";
import { RuleCard } from "../components/rules/rulecard.tsx";
import { RuleUse } from "../components/rules/ruleuse.tsx";
import { Note } from "../components/status/problemnote.tsx";
import { RetryNote } from "../components/status/retrynote.tsx";
import { placeOf } from "../state/query/place.ts";
import { rules } from "../state/query/recordingrules.ts";
import { server } from "../state/query/services.ts";
import { refresh } from "../state/url/clock.ts";
import { go, rulesRoute, visit } from "../state/url/router.ts";
import "../style/rules.css";

/** Recording rules: metrics made from profiles. */
export function Rules() {
  const { base } = rulesRoute.value;
  const alone = placeOf("base") !== "" || server.value === "absent";
  return (
    <>
      <Header>
        {!alone && (
          <>
            <span class="spacer" />
            <RangePicker
              range={base}
              title="Time range of the charts"
              testid="range"
              onChange={(range) => go({ base: { ...base, ...range } })}
            />
            <button type="button" class="control icon-only" title="Refresh" data-testid="refresh" onClick={refresh}>
              <Icon name="refresh" />
            </button>
          </>
        )}
      </Header>
      <main class="rules">
        {alone ? (
          <Note title="Rules need a server" testid="rules-server">
            <p>A server computes the metrics of recording rules from its stored profiles.</p>
          </Note>
        ) : (
          <>
            <h1>Rules</h1>
            <List />
          </>
        )}
      </main>
    </>
  );
}

function List() {
  const { value, problem } = rules.value;
  if (problem && !value) return <RetryNote problem={problem} />;
  if (!value) return <p class="hint">Reading the rules…</p>;
  return (
    <>
      {problem && <RetryNote problem={problem} />}
      {value.length === 0 ? (
        <section class="rules-empty" data-testid="rules-empty">
          <p>
            A recording rule turns part of your profiles into a metric for Prometheus or Grafana, such as the CPU time
            of one function, and includes the profiles that are already stored. To make one, open a service, right-click
            or long-press a frame in its flame graph, and choose “Record as a metric”.
          </p>
          <button type="button" class="control primary" onClick={() => visit("home")}>
            All services
          </button>
        </section>
      ) : (
        <ul class="rules-list" data-testid="rules">
          {value.map((rule) => (
            <RuleCard key={rule.id} rule={rule} />
          ))}
        </ul>
      )}
      <RuleUse />
    </>
  );
}
