/** The page and the dialog of recording rules, loaded as one script. */
export { Rules } from "../../pages/rules.tsx";
export { RecordDialog } from "./recorddialog.tsx";
