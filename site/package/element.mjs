/**
 * `<pilotlight-flame src="cpu.pb.gz">`: a profile within a page. The viewer runs in a frame of its own, from the folder
 * `site` beside this file, so that neither disturbs the other. The frame talks to pages of its own origin alone: serve this
 * package from the origin of the page.
 */
const PAGE = new URL("./site/file.html?embed=1", import.meta.url);

const STYLE = `
:host { display: block; block-size: 480px; min-inline-size: 0 }
:host([hidden]) { display: none }
iframe { display: block; inline-size: 100%; block-size: 100%; border: 0 }
`;

/** A server that renders pages imports this file too, and has no elements. */
const Base = globalThis.HTMLElement ?? class {};

export class PilotlightFlame extends Base {
  static observedAttributes = ["src", "view", "type", "theme"];

  #frame = null;
  /** The page in the frame listens. */
  #ready = false;
  /** What is to be opened once it does. */
  #waiting = null;
  #fetching = null;

  constructor() {
    super();
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    this.attachShadow({ mode: "open" }).adoptedStyleSheets = [sheet];
  }

  /** Address of the profile, relative to the page. */
  get src() {
    return this.getAttribute("src") ?? "";
  }
  set src(address) {
    this.setAttribute("src", address);
  }

  /** `flame`, `table`, `both`, `tree` and whatever else the viewer has. */
  get view() {
    return this.getAttribute("view") ?? "flame";
  }
  set view(name) {
    this.setAttribute("view", name);
  }

  /** Name of the sample type; by default the profile's own default. */
  get type() {
    return this.getAttribute("type") ?? "";
  }
  set type(name) {
    this.setAttribute("type", name);
  }

  /** `auto`, `light`, `dark` or `contrast`. */
  get theme() {
    return this.getAttribute("theme") ?? "auto";
  }
  set theme(name) {
    this.setAttribute("theme", name);
  }

  connectedCallback() {
    if (PAGE.origin !== location.origin) {
      this.#fail(`the package is served from ${PAGE.origin}: serve it from this page's origin`);
      return;
    }
    const frame = document.createElement("iframe");
    frame.title = this.getAttribute("aria-label") ?? "Profile";
    frame.allow = "clipboard-write";
    frame.src = PAGE.href;
    this.#frame = frame;
    this.shadowRoot.append(frame);
    addEventListener("message", this.#hear);
    if (this.src && !this.#waiting) void this.#fetch();
  }

  disconnectedCallback() {
    removeEventListener("message", this.#hear);
    this.#fetching?.abort();
    this.#frame?.remove();
    this.#frame = null;
    this.#ready = false;
  }

  attributeChangedCallback(name, before, now) {
    if (before === now || !this.#frame) return;
    if (name === "src") void this.#fetch();
    else this.#show();
  }

  /** Shows a profile that the page has already: a Blob, or bytes. */
  async open(profile, name = "profile") {
    this.#fetching?.abort();
    this.#open({ name, bytes: await new Response(profile).arrayBuffer() });
  }

  async #fetch() {
    this.#fetching?.abort();
    const { src } = this;
    if (!src) return;
    const stop = new AbortController();
    this.#fetching = stop;
    try {
      const address = new URL(src, document.baseURI);
      const answer = await fetch(address, { signal: stop.signal });
      if (!answer.ok) throw new Error(`${address} returned status ${answer.status}`);
      const name = decodeURIComponent(address.pathname.slice(address.pathname.lastIndexOf("/") + 1));
      const bytes = await answer.arrayBuffer();
      if (!stop.signal.aborted) this.#open({ name: name || "profile", bytes });
    } catch (failure) {
      if (!stop.signal.aborted) this.#fail(failure.message);
    }
  }

  #open(profile) {
    this.#waiting = profile;
    if (!this.#ready) return;
    this.#waiting = null;
    this.#show();
    this.#frame.contentWindow.postMessage({ pilotlight: "open", ...profile }, PAGE.origin, [profile.bytes]);
  }

  #show() {
    const { view, type, theme } = this;
    if (this.#ready) this.#frame.contentWindow.postMessage({ pilotlight: "show", view, type, theme }, PAGE.origin);
  }

  #hear = ({ data, source, origin }) => {
    if (source !== this.#frame?.contentWindow || origin !== PAGE.origin) return;
    switch (data?.pilotlight) {
      case "ready":
        this.#ready = true;
        this.#show();
        if (this.#waiting) this.#open(this.#waiting);
        break;
      case "opened":
        this.#tell("profileopen", data.profile);
        break;
      case "failed":
        this.#fail(data.message);
        break;
      case "selected":
        this.#tell("frameselect", data.frame);
        break;
    }
  };

  #fail(message) {
    this.#tell("profileerror", { message });
  }

  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  }
}

if (globalThis.customElements && !customElements.get("pilotlight-flame"))
  customElements.define("pilotlight-flame", PilotlightFlame);
