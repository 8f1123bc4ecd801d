import type { ComponentChildren } from "preact";
import { core } from "../../core/index.ts";
import { copyText } from "../../state/page/clipboard.ts";
import { download, gzip } from "../../state/page/download.ts";
import { reportFailure } from "../../state/page/failure.ts";
import { helpOpen } from "../../state/page/help.ts";
import { nextTheme, type Theme, theme } from "../../state/page/theme.ts";
import { shown } from "../../state/profile/shown.ts";
import { clock } from "../../state/url/clock.ts";
import { href, urlState, visit } from "../../state/url/router.ts";
import { initialUrlState, type Side } from "../../state/url/urlstate.ts";
import { fixed, resolve } from "../../time/range.ts";
import { Icon, type IconName } from "../controls/icon.tsx";
import { Logo } from "../controls/logo.tsx";
import { Menu } from "../controls/menu.tsx";
import { OpenButton } from "../files/filepicker.tsx";
import { TokenMenu } from "./tokendialog.tsx";

const THEMES: Record<Theme, { icon: IconName; name: string }> = {
  auto: { icon: "auto", name: "as the system" },
  light: { icon: "sun", name: "light" },
  dark: { icon: "moon", name: "dark" },
  contrast: { icon: "contrast", name: "high contrast" },
};

/** The one thin row above the picture: the brand, the page's own controls, and what every page has. */
export function Header({ children }: { children?: ComponentChildren }) {
  const { icon, name } = THEMES[theme.value];
  return (
    <header class="header">
      <a
        class="brand"
        href={href(initialUrlState("home"))}
        onClick={(event) => onPlainClick(event, () => visit("home"))}
      >
        <Logo />
        <span>Pilotlight</span>
      </a>
      <div class="header-controls">{children}</div>
      <div class="header-end">
        <OpenButton />
        {shown.value.state === "ready" && <Share />}
        <TokenMenu />
        <button
          type="button"
          class="control icon-only"
          title="Keys and help (?)"
          data-testid="help-button"
          onClick={() => (helpOpen.value = true)}
        >
          <Icon name="help" />
        </button>
        <button
          type="button"
          class="control icon-only"
          title={`Theme: ${name}`}
          data-testid="theme-button"
          onClick={nextTheme}
        >
          <Icon name={icon} />
        </button>
      </div>
    </header>
  );
}

/** A link that works like one (new tab, copy address) but stays on the page for a plain click. */
export function onPlainClick(event: MouseEvent, act: () => void): void {
  if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  act();
}

function Share() {
  const local = urlState.value.route === "file";
  const answer = shown.value;
  const profile = answer.state === "ready" ? answer.exported : null;
  return (
    <Menu
      label={
        <>
          <Icon name="share" />
          <span class="wide">Share</span>
        </>
      }
      title="Share"
      testid="share"
    >
      {(close) => (
        <div class="menu-list">
          {local ? (
            <p class="hint">These files are on this machine only, so a link cannot show them.</p>
          ) : (
            <button
              type="button"
              onClick={() => {
                void copyText(fixedLink(), "the link");
                close();
              }}
            >
              <Icon name="copy" /> Copy link
            </button>
          )}
          <button
            type="button"
            disabled={profile === null}
            data-testid="download"
            onClick={() => {
              if (profile !== null)
                downloadPprof(profile).catch((failure) => reportFailure(failure, "write this profile"));
              close();
            }}
          >
            <Icon name="download" /> Download pprof
          </button>
          {profile === null && <p class="hint">A difference has no pprof form.</p>}
        </div>
      )}
    </Menu>
  );
}

/** A link that still shows this tomorrow: "the last hour" becomes the hour it is now. */
function fixedLink(): string {
  const at = urlState.peek();
  const pin = (side: Side): Side => ({ ...side, ...fixed(resolve(side, clock.peek())) });
  return href({ ...at, base: pin(at.base), other: pin(at.other) });
}

async function downloadPprof(profile: number): Promise<void> {
  const answer = shown.peek();
  const title = answer.state === "ready" ? answer.title : "profile";
  const name = title.replace(/\.(pb|gz|pprof|prof)\b/g, "").replace(/[^\w.-]+/g, "-");
  download(await gzip(await core.exportPprof(profile)), `${name}.pb.gz`);
}
