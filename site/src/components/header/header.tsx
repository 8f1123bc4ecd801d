import type { ComponentChildren } from "preact";
import { standalone } from "../../base.ts";
import { helpOpen } from "../../state/page/helpopen.ts";
import { nextTheme, type Theme, theme } from "../../state/page/theme.ts";
import { shown } from "../../state/profile/shown.ts";
import { initialRoute } from "../../state/url/route.ts";
import { href, route, visit } from "../../state/url/router.ts";
import { Icon, type IconName } from "../controls/icon.tsx";
import { onPlainClick } from "../controls/link.ts";
import { Logo } from "../controls/logo.tsx";
import { OpenButton } from "../files/filepicker.tsx";
import { ExportMenu } from "./exportmenu.tsx";
import { ShareMenu } from "./sharemenu.tsx";
import { TokenMenu } from "./tokenmenu.tsx";

const THEMES: Record<Theme, { icon: IconName; name: string }> = {
  auto: { icon: "auto", name: "match the system" },
  light: { icon: "sun", name: "light" },
  dark: { icon: "moon", name: "dark" },
  contrast: { icon: "contrast", name: "high contrast" },
};

/** The one thin row above the picture: the brand, the page's own controls, and what every page has. */
export function Header({ children }: { children?: ComponentChildren }) {
  const { icon, name } = THEMES[theme.value];
  const { page } = route.value;
  const drawn = shown.value.state === "ready";
  return (
    <header class="header">
      <Brand />
      <div class="header-controls">{children}</div>
      <div class="header-end">
        <OpenButton />
        {drawn && <ExportMenu />}
        {(drawn || page === "explore" || page === "diff") && !standalone && <ShareMenu />}
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

/** To the front page, where there is one. */
function Brand() {
  const name = (
    <>
      <Logo />
      <span>Pilotlight</span>
    </>
  );
  if (standalone) return <span class="brand">{name}</span>;
  return (
    <a class="brand" href={href(initialRoute("home"))} onClick={(event) => onPlainClick(event, () => visit("home"))}>
      {name}
    </a>
  );
}
