import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { TreeInfo } from "../../core/types.ts";
import { formatBytes } from "../../format/value.ts";
import { trackWork } from "../../settled.ts";
import { copyText } from "../../state/page/clipboard.ts";
import { reportFailure } from "../../state/page/failure.ts";
import { shown } from "../../state/profile/shown.ts";
import { type Source, sourcesOf } from "../../state/profile/sources.ts";
import { placeOf } from "../../state/query/place.ts";
import { server } from "../../state/query/services.ts";
import { fixedLink } from "../../state/url/fixedlink.ts";
import { route, serviceRoute } from "../../state/url/router.ts";
import { Icon } from "../controls/icon.tsx";
import { Menu } from "../controls/menu.tsx";
import { lazy } from "../lazy.tsx";

const SaveView = lazy(() => import("./saveview.tsx").then((module) => module.SaveView));
const UploadLink = lazy(() => import("./uploadlink.tsx").then((module) => module.UploadLink));

/** A link that shows another person the same. */
export function ShareMenu() {
  const answer = shown.value;
  const sources = sourcesOf(answer);
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
          {route.value.page !== "file" ? (
            <>
              <CopyLink done={close} link={async () => fixedLink()}>
                Copy link
              </CopyLink>
              {serviceRoute.value.service !== "" &&
                serviceRoute.value.type !== "" &&
                (["base", "other"] as const).every((side) => placeOf(side) === "") &&
                server.value === "present" && <SaveView done={close} />}
            </>
          ) : answer.state === "ready" && sources.length === 1 ? (
            <ProfileLink tree={answer.tree} source={sources[0]} timed={Boolean(answer.subject?.timed)} done={close} />
          ) : (
            <p class="hint">
              {sources.length === 0
                ? "Two parts of a file can't be shared as a comparison. Export a picture or a table."
                : "These files are on this machine only. A link can hold only one small profile; for more, export a page."}
            </p>
          )}
          {answer.state === "ready" && sources.length === 1 && placeOf("base") === "" && (
            <UploadLink tree={answer.tree} source={sources[0]} done={close} />
          )}
        </div>
      )}
    </Menu>
  );
}

function CopyLink(props: { link: () => Promise<string>; done: () => void; children: string }) {
  const { link, done, children } = props;
  const copy = async () => {
    try {
      await copyText(await link(), "the link");
    } catch (failure) {
      reportFailure(failure, "make a link");
    }
  };
  return (
    <button
      type="button"
      data-testid="copy-link"
      onClick={() => {
        done();
        void copy();
      }}
    >
      <Icon name="copy" /> {children}
    </button>
  );
}

/** A link with the profile in it, where that is not too long. */
function ProfileLink(props: { tree: TreeInfo; source: Source; timed: boolean; done: () => void }) {
  const { tree, source, timed, done } = props;
  const made = useRef<Promise<string> | null>(null);
  const excess = useSignal("");
  useEffect(() => {
    const make = async () => {
      const { linkOf, LONGEST_LINK } = await import("../../export/profilelink.ts");
      const link = await linkOf(tree, source);
      if (link.length > LONGEST_LINK)
        excess.value = `The link would be ${formatBytes(link.length)}; the limit is ${formatBytes(LONGEST_LINK)}.`;
      return link;
    };
    const making = trackWork(make());
    made.current = making;
    making.catch((failure) => reportFailure(failure, "make a link"));
  }, []);
  if (excess.value) return <p class="hint">This profile is too large for a link. {excess} Export a page instead.</p>;
  return (
    <>
      <CopyLink done={done} link={async () => (await made.current) ?? ""}>
        Copy link with the profile
      </CopyLink>
      <p class="hint">
        The link contains the profile{timed && " without its times"}; nothing is uploaded. Anyone with the link can see
        it.
      </p>
    </>
  );
}
