/** What /explore shows of a service in place of its merged profile, as one script. */
export { ChangesPanel } from "./changespanel.tsx";
export { FunctionPanel } from "./functionpanel.tsx";
export { LabelsPanel } from "./labelspanel.tsx";
export { SinglesPanel } from "./singlespanel.tsx";
export { TypesPanel } from "./typespanel.tsx";
