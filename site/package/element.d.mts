/** What a profile holds. */
export interface OpenedProfile {
  name: string;
  /** Of the file, for people. */
  format: string;
  types: { type: string; unit: string; total: number }[];
}

/** A frame that was selected. Values are in `unit`; `share` is that of the whole, from 0 to 1. */
export interface SelectedFrame {
  name: string;
  file: string;
  /** The first line of its function; 0 when unknown. */
  line: number;
  module: string;
  self: number;
  total: number;
  share: number;
  unit: string;
  /** Names from the root to this frame. */
  path: string[];
}

export interface PilotlightFlameEvents {
  /** A profile is open. */
  profileopen: CustomEvent<OpenedProfile>;
  /** It could not be fetched or read; `message` says why. */
  profileerror: CustomEvent<{ message: string }>;
  /** A frame is selected; null when none is any more. */
  frameselect: CustomEvent<SelectedFrame | null>;
}

/** `<pilotlight-flame src view type theme>`: a profile within a page. */
export declare class PilotlightFlame extends HTMLElement {
  static readonly observedAttributes: readonly string[];
  /** Address of the profile, relative to the page. */
  src: string;
  /** `flame` (default), `table`, `both`, `tree`, `sandwich` or `chart`. */
  view: string;
  /** Name of the sample type; by default the profile's own default. */
  type: string;
  theme: "auto" | "light" | "dark" | "contrast";
  /** Shows a profile that the page has already. */
  open(profile: Blob | ArrayBuffer | Uint8Array<ArrayBuffer>, name?: string): Promise<void>;
  addEventListener<Name extends keyof PilotlightFlameEvents>(
    type: Name,
    listener: (event: PilotlightFlameEvents[Name]) => void,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions,
  ): void;
}

declare global {
  interface HTMLElementTagNameMap {
    "pilotlight-flame": PilotlightFlame;
  }
}
