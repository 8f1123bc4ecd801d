import { json } from "../../api.ts";
import type { ListedAlert } from "../../state/query/alert.ts";
import { firingCountWords } from "../../state/query/firingcount.ts";
import { placeOf } from "../../state/query/place.ts";
import { resource } from "../../state/resource.ts";
import { clock } from "../../state/url/clock.ts";
import { initialRoute } from "../../state/url/route.ts";
import { route } from "../../state/url/router.ts";
import { Icon } from "../controls/icon.tsx";
import { linkTo } from "../controls/link.ts";

const alerts = resource(
  "list the alerts",
  () => (route.value.page === "home" && placeOf("base") === "" ? clock.value : null),
  async (_, stopped) => (await json<{ alerts: ListedAlert[] }>("alerts", {}, stopped)).alerts,
);

/** On the front page: how many alerts are firing. Without any, and where the server can't say it, there is nothing. */
export function FiringNote() {
  const words = firingCountWords(alerts.value.value ?? [], clock.value);
  if (!words) return null;
  return (
    <a class="control urgent" title={words} {...linkTo(initialRoute("alerts"))} data-testid="firing">
      <Icon name="chart" />
      <span class="wide">{words}</span>
    </a>
  );
}
