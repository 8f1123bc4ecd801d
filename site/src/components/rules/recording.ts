/** What is seen of recording rules, as one script. */
export { Rules } from "../../pages/rules.tsx";
export { RecordDialog } from "./recorddialog.tsx";
