/*
 * Handles for browser tests (data-testid):
 *   home     dropzone · services, service-card, card-change · looking · empty, widen, snippet · type, range, refresh
 *   header   open-file (the file input) · share, download · help-button, help · theme-button · token-menu, token-forget
 *   explore  service, type · filters, filters-add, pattern, pattern-problem, compare-labels · window · range, refresh · compare
 *   timeline timeline (data-peak), timeline-tooltip, timeline-problem
 *   diff     side-base, side-other · range-…, filters-…, timeline-… of both · presets, swap · legend, diff-totals, measure, coverage
 *   file     files (list) · problem (one for each file that could not be read) · merge, compare, swap · type · normalise
 *   picture  view-flame, view-table, view-both · search, search-result · crumbs · loading, cancel, problem, stale, empty, cancelled · facts
 *   flame    flame (the canvas) · frames (the drawn frames as a table: name, depth, total, self, share; data-node,
 *            data-total on each row) · current-frame (live region) · tooltip
 *   drawer   drawer (data-node), drawer-name, drawer-total, drawer-self, drawer-all, zoom-here · occurrence, occurrence-previous,
 *            occurrence-next
 *   table    table, row, sort-name, sort-self, sort-total, sort-delta
 *   page     drop-overlay · notice · token-dialog, token-input, token-give, token-problem
 */

import { DropTarget } from "./components/files/droptarget.tsx";
import { Help } from "./components/header/help.tsx";
import { TokenDialog } from "./components/header/tokendialog.tsx";
import { Diff } from "./pages/diff.tsx";
import { Explore } from "./pages/explore.tsx";
import { FilePage } from "./pages/file.tsx";
import { Home } from "./pages/home.tsx";
import { notice } from "./state/page/notice.ts";
import { urlState } from "./state/url/router.ts";
import type { Route } from "./state/url/urlstate.ts";

const PAGES: Record<Route, () => preact.JSX.Element> = { home: Home, explore: Explore, diff: Diff, file: FilePage };

export function App() {
  const Page = PAGES[urlState.value.route];
  return (
    <div class={`page ${urlState.value.route}-page`}>
      <Page />
      <DropTarget />
      <Help />
      <TokenDialog />
      <div class="notice" role="status" data-testid="notice">
        {notice}
      </div>
    </div>
  );
}
