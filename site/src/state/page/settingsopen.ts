import { signal } from "@preact/signals";

/** Whether the settings are open. */
export const settingsOpen = signal(false);
