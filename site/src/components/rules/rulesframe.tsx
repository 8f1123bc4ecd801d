import type { ComponentChildren, ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { type AlertTarget, alertTarget } from "../../state/page/alerttarget.ts";
import { recordTarget } from "../../state/page/record.ts";
import { placeOf } from "../../state/query/place.ts";
import { server } from "../../state/query/services.ts";
import { refresh } from "../../state/url/clock.ts";
import { initialRoute } from "../../state/url/route.ts";
import { route } from "../../state/url/router.ts";
import { Icon } from "../controls/icon.tsx";
import { linkTo } from "../controls/link.ts";
import { Header } from "../header/header.tsx";
import { Note } from "../status/problemnote.tsx";
import "../../style/rules.css";

/** What each of the two pages needs a server for. */
const PAGES = {
  rules: { title: "Rules", server: "A server computes the metrics of recording rules from its stored profiles." },
  alerts: { title: "Alerts", server: "A server evaluates alerts on its stored profiles once a minute." },
};
type RulesPage = keyof typeof PAGES;

/** The frame of the pages for rules and for alerts on them; `controls` stand in the header. */
export function RulesFrame(props: {
  page: RulesPage;
  controls?: ComponentChildren;
  children: ComponentChildren;
  /** The dialog for an alert. */
  dialog: ComponentType<{ target: AlertTarget; onClose: () => void }>;
}) {
  const { page, controls, children, dialog: Dialog } = props;
  const { title } = PAGES[page];
  const alone = placeOf("base") !== "" || server.value === "absent";
  // The Back button leaves a page with its dialog.
  useEffect(
    () => () => {
      alertTarget.value = null;
      recordTarget.value = null;
    },
    [],
  );
  return (
    <>
      <Header>
        {!alone && (
          <>
            <span class="spacer" />
            {controls}
            <button type="button" class="control icon-only" title="Refresh" data-testid="refresh" onClick={refresh}>
              <Icon name="refresh" />
            </button>
          </>
        )}
      </Header>
      <main class="rules">
        {alone ? (
          <Note title={`${title} need a server`} testid={`${page}-server`}>
            <p>{PAGES[page].server}</p>
          </Note>
        ) : (
          <>
            <h1 class="hidden">{title}</h1>
            <Tabs />
            {children}
          </>
        )}
      </main>
      {/* After a new rule, its own dialog shows that of the alert. */}
      {alertTarget.value && !recordTarget.value && (
        <Dialog target={alertTarget.value} onClose={() => (alertTarget.value = null)} />
      )}
    </>
  );
}

function Tabs() {
  return (
    <nav class="rules-tabs" aria-label="Rules and alerts">
      {(Object.keys(PAGES) as RulesPage[]).map((page) => (
        <a
          key={page}
          class="panel-link"
          {...linkTo(initialRoute(page))}
          aria-current={page === route.value.page ? "page" : undefined}
          data-testid={`tab-${page}`}
        >
          {PAGES[page].title}
        </a>
      ))}
    </nav>
  );
}
