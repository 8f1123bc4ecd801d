/*
 * Handles for browser tests (data-testid):
 *   home     dropzone · services, service-card, favourite, card-change · search, search-result, order, no-match, clear-search · looking · empty, widen, snippet · type, range, refresh
 *            made (of a bundle), compare-bundle, other-bundle, other-bundle-problem
 *   header   open-file (the file input) · share, copy-link, upload-link, upload-days · export, export-png, …-svg, …-csv, …-html, …-pprof, …-folded, …-speedscope, …-flamebearer, …-bundle-zip, …-bundle-html, …-whole · help-button, help · theme-button · token-menu, token-forget
 *   explore  service, type · filters, filters-add, pattern, pattern-problem, compare-labels, compare-version · window · range, refresh · compare
 *   panels   panels, panel-…, deploy (to what changed between two versions)
 *   changes  changes (data-state), changes-progress, changes-by, changes-before, changes-after, changes-diff, changes-summary,
 *            changes-others, changes-more, changes-less, change (data-name; one each), changes-empty, changes-bundle
 *   function function, function-search, function-suggestions (data-state), function-suggestion, function-name, function-place, function-total,
 *            function-self, function-absent, function-bars, function-since, function-services, function-service (data-service),
 *            function-others, function-hours, function-cost, function-price, function-callers, function-callees, function-rounded,
 *            function-bundle
 *   timeline timeline (data-peak), timeline-tooltip, timeline-problem
 *   diff     side-base, side-other · place-…, range-…, filters-…, timeline-… of both · presets, compare-version, swap · legend, diff-totals, measure, coverage
 *   file     files (list), format, role · open-folder · problem (one for each file that could not be read) · merge, compare,
 *            file-hint, show-all, swap · type · normalise
 *   picture  view-flame, view-table, view-both, view-tree, view-sandwich, view-chart · thread · heatmap, heat-tip, axis (of the heatmap, of the chart), compare-time, idle · group, invert, step-add,
 *            step-verb, step-pattern, step-pattern-problem, fold-recursion, hide-inlined · steps, step (one each), steps-share, step-problem, undo,
 *            clear-steps · search, search-result · crumbs · loading, cancel, problem, stale, empty, cancelled · facts
 *   labels   labels, label-picker, label-key, label-filter, label-values (data-count), keep-label, drop-label, keep-all, drop-all,
 *            tagroot, tagleaf · against (the second part of the time)
 *   flame    flame (the canvas) · frames (the drawn frames as a table: name, depth, total, self, share; data-node,
 *            data-total on each row) · current-frame (live region) · tooltip, when
 *   tree     calltree, treeitem (data-node, data-active)
 *   sandwich sandwich, callers, callees (what is drawn, as tables), callers-canvas, callees-canvas
 *   drawer   focus-frame, ignore-frame, hide-frame, sandwich-frame, function-link · drawer (data-node), drawer-name, drawer-total, drawer-self, drawer-all, drawer-file, zoom-here · occurrence, occurrence-previous,
 *            occurrence-next
 *   table    table, row, sort-name, sort-self, sort-total, sort-delta
 *   marks    timeline-mark · annotate-open (in the menu of the range), annotate, annotate-text, annotate-time, annotate-url, annotate-about,
 *            annotate-problem, annotate-save, annotation, annotation-delete · auto-refresh, zone (in the menu of the range)
 *   singles  singles-panel, singles-profiles, singles-spans, singles-count, singles-map, singles-cell (data-count), singles-table, singles-row (data-id, data-value)
 *   links    link-chips, span-chip, trace-chip, trace-link, trace-ask
 *   lines    lines, line (data-line), whole-file, source-file, copy-lines · source-origin, source-page, source-commits
 *   views    save-view, save-view-name, save-view-give · saved-views, saved-view, delete-view, view-unknown
 *   settings settings-button, settings, settings-trace, settings-save, settings-problem · keep (in the menu of the range), pin, pin-delete
 *   types    types-panel (data-state), type-card (data-type), type-total, type-change · panel-empty (of any panel)
 *   values   labels-panel (data-state), label-names, label-name, label-unknown · value-chart, value-here · values-note, compare-values · value-table, values-by-…,
 *            value-row (data-value), value-total, …-share, …-max, …-mean, …-deviation, …-profiles, value-steps, value-baseline, value-comparison, value-filter, value-exclude, value-filtered
 *   rules    rules-link · rules (list), rule (data-name), rule-words, rule-name, rule-series, rule-alerts, rule-explore, rule-copy, rule-edit, rule-delete, rule-question, rule-delete-yes,
 *            rules-empty, rules-server, rules-use · rule-chart · record-open, record-frame, record, record-words, record-what-…, record-name,
 *            record-query, record-function, record-regex, record-path, record-by (data-name), record-unit, record-options, record-label (one each), record-label-name,
 *            record-label-value, record-label-remove, record-label-add, record-conflict, record-reload, record-series, record-problem, record-save, record-saved, record-rules, record-alert, rule-alert, tab-rules,
 *            tab-alerts · in the chart rule-threshold, rule-firing (one each)
 *   alerts   firing (on the front page) · alerts (list), alert-item (data-name, data-status), alert-item-name, alert-status, alert-item-words, alert-error, alert-firing, firing-series,
 *            firing-profiles, alert-edit, silence, silence-1h, silence-8h, silence-1day, silence-end, silence-problem, alert-delete, alert-question,
 *            alert-delete-yes, alert-new, alerts-empty, alerts-server · alert (the dialog), alert-words, alert-rule, alert-kind-…, alert-threshold,
 *            alert-unit, alert-minutes, alert-for, alert-version, alert-name, alert-receivers-all, alert-receiver (data-name), alert-reading,
 *            alert-firings, alert-problem, alert-save, alert-saved, alert-all · alerts-history, alert-event (data-status) · receivers,
 *            receivers-empty, receiver (data-name), receiver-sent, receiver-error, receiver-test, receiver-outcome, receiver-delete, receiver-question,
 *            receiver-delete-yes, receiver-add, receiver-form, receiver-kind-…, receiver-name, receiver-url, receiver-token, receiver-problem,
 *            receiver-save
 *   explain  explain-button, explain, explain-functions, explain-patterns, explain-copy, explain-model, explain-ask, explain-said
 *   page     drop-overlay · notice, close-notice · token-dialog, token-input, token-give, token-problem
 */

import type { ComponentChildren } from "preact";
import { Icon } from "./components/controls/icon.tsx";
import { DropTarget } from "./components/files/droptarget.tsx";
import { lazy } from "./components/lazy.tsx";
import { annotateOpen } from "./state/page/annotate.ts";
import { helpOpen } from "./state/page/helpopen.ts";
import { lasting, notice } from "./state/page/notice.ts";
import { recordTarget } from "./state/page/record.ts";
import { settingsOpen } from "./state/page/settingsopen.ts";
import { asked } from "./state/page/token.ts";
import { route } from "./state/url/router.ts";

const AnnotateDialog = lazy(() =>
  import("./components/query/annotatedialog.tsx").then((module) => module.AnnotateDialog),
);
const Help = lazy(() => import("./components/header/help.tsx").then((module) => module.Help));
const RecordDialog = lazy(() => import("./components/rules/recording.ts").then((module) => module.RecordDialog));
const SettingsDialog = lazy(() =>
  import("./components/header/settingsdialog.tsx").then((module) => module.SettingsDialog),
);
const TokenDialog = lazy(() => import("./components/header/tokendialog.tsx").then((module) => module.TokenDialog));

/** A page with what every page has. */
export function App({ children }: { children: ComponentChildren }) {
  return (
    <div class={`page ${route.value.page}-page`}>
      {children}
      <DropTarget />
      {helpOpen.value && <Help />}
      {annotateOpen.value && <AnnotateDialog />}
      {recordTarget.value && <RecordDialog target={recordTarget.value} />}
      {settingsOpen.value && <SettingsDialog />}
      {asked.value !== "no" && <TokenDialog />}
      <div class="notice" role="status" data-testid="notice">
        {notice.value || (lasting.value && <Lasting />)}
      </div>
    </div>
  );
}

function Lasting() {
  return (
    <>
      <span>{lasting}</span>
      <button type="button" title="Close" data-testid="close-notice" onClick={() => (lasting.value = "")}>
        <Icon name="close" />
      </button>
    </>
  );
}
