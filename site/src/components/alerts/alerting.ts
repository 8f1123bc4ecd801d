/** The page and the dialog of alerts, loaded as one script. */
export { Alerts } from "../../pages/alerts.tsx";
export { AlertDialog } from "./alertdialog.tsx";
