import { lazy } from "../lazy.tsx";

/** The dialog for an alert, on pages that don't show alerts. */
export const AlertDialog = lazy(() => import("./alerting.ts").then((module) => module.AlertDialog));
