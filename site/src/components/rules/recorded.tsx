import { alertTarget } from "../../state/page/alerttarget.ts";
import { copyText } from "../../state/page/clipboard.ts";
import { exportedName, promQL, type RecordingRule } from "../../state/query/recordingrule.ts";
import { initialRoute } from "../../state/url/route.ts";
import { go, href } from "../../state/url/router.ts";
import { Icon } from "../controls/icon.tsx";
import { onPlainClick } from "../controls/link.ts";
import { MetricName } from "./metricname.tsx";

/** The next steps after a rule is saved. */
export function Recorded({ rule, close }: { rule: RecordingRule; close: () => void }) {
  const target = initialRoute("rules");
  return (
    <div class="record-form" data-testid="record-saved">
      <p>
        Recorded as{" "}
        <b>
          <MetricName name={exportedName(rule)} />
        </b>
        , including the profiles that are already stored.
      </p>
      <div class="rule-actions">
        <a
          class="control primary"
          href={href(target)}
          data-testid="record-rules"
          onClick={(event) =>
            onPlainClick(event, () => {
              close();
              go(target);
            })
          }
        >
          All rules
        </a>
        <button type="button" class="control" onClick={() => void copyText(promQL(rule), "the query")}>
          <Icon name="copy" /> PromQL
        </button>
        <button
          type="button"
          class="control"
          data-testid="record-alert"
          onClick={() => (alertTarget.value = { rules: [rule], alert: null })}
        >
          Alert…
        </button>
      </div>
    </div>
  );
}
