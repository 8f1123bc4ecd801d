import { computed, effect } from "@preact/signals";
import { work } from "../../state/profile/shown.ts";
import { timeline } from "../../state/query/loadexplore.ts";
import { looking } from "../../state/query/servicechanges.ts";
import { services } from "../../state/query/services.ts";
import { clock, refreshAutomatically, refreshEvery } from "../../state/url/clock.ts";
import { route } from "../../state/url/router.ts";
import { Select } from "../controls/select.tsx";

const CHOICES = [
  { value: "0", label: "Refresh: off" },
  { value: "30", label: "Refresh every 30 s" },
  { value: "60", label: "Refresh every 1 min" },
  { value: "300", label: "Refresh every 5 min" },
];

/** A range that ends at a fixed time has nothing new. */
const live = computed(() => {
  const at = route.value;
  return "base" in at && (at.base.until === "now" || (at.page === "diff" && at.other.until === "now"));
});

/** Asking again would end what is on its way, for ever where answers take longer than the interval; and what is dragged. */
function isBusy(): boolean {
  const waiting =
    work.peek() !== null || looking.peek() || [timeline, services].some((loaded) => loaded.peek().state === "loading");
  return waiting || document.body.matches(":active");
}

effect(() => {
  const every = refreshEvery.value * 1000;
  if (every === 0 || !live.value) return;
  const stop = new AbortController();
  // Nobody looks at a page that is hidden; one that comes back is as fresh as it would have been.
  const due = () => {
    if (document.visibilityState === "visible" && !isBusy() && Date.now() - clock.peek() >= every - 500)
      refreshAutomatically();
  };
  const timer = setInterval(due, every);
  document.addEventListener("visibilitychange", due, { signal: stop.signal });
  return () => {
    clearInterval(timer);
    stop.abort();
  };
});

/** How often the page asks again by itself, as long as it is open. */
export function AutoRefresh() {
  return (
    <>
      <Select
        label="Refresh automatically"
        value={String(refreshEvery.value)}
        options={CHOICES}
        testid="auto-refresh"
        onChange={(value) => {
          refreshEvery.value = Number(value);
        }}
      />
      {refreshEvery.value > 0 && !live.value && (
        <small class="soft">Only ranges that end at the current time refresh.</small>
      )}
    </>
  );
}
