import { useSignal } from "@preact/signals";
import type { TreeInfo } from "../../core/types.ts";
import { upload } from "../../export/upload.ts";
import { lastDay } from "../../files/share.ts";
import { plural } from "../../format/value.ts";
import { copyText } from "../../state/page/clipboard.ts";
import { reportFailure } from "../../state/page/failure.ts";
import { notify } from "../../state/page/notice.ts";
import { token } from "../../state/page/token.ts";
import type { Source } from "../../state/profile/sources.ts";
import { server } from "../../state/query/services.ts";
import { Icon } from "../controls/icon.tsx";
import { Select } from "../controls/select.tsx";

const DAYS = [1, 7, 30, 90];
/** As the server has it when nothing is said. */
const USUAL_DAYS = 30;
/** The notice of what came of it takes this one's place before. */
const UPLOAD_MILLIS = 120_000;

/** A link to the profile on the server, where there is one. */
export function UploadLink({ tree, source, done }: { tree: TreeInfo; source: Source; done: () => void }) {
  const days = useSignal(USUAL_DAYS);
  if (server.value === "absent") return null;
  const share = async () => {
    done();
    notify("Uploading the profile", UPLOAD_MILLIS);
    try {
      const { link, id } = await upload(tree, source, days.peek());
      notify("");
      await copyText(link, `the link. It expires at the end of ${lastDay(id)}`);
    } catch (failure) {
      reportFailure(failure, "upload the profile");
    }
  };
  const whoever = token.value === "" ? "Anyone who can access this server" : "Anyone with a token for this data";
  return (
    <div class="menu-list apart">
      <button type="button" data-testid="upload-link" onClick={() => void share()}>
        <Icon name="share" /> Upload and copy a link
      </button>
      <p class="upload-days">
        Keep for{" "}
        <Select
          label="How long to keep the profile"
          testid="upload-days"
          value={String(days.value)}
          options={DAYS.map((days) => ({ value: String(days), label: plural(days, "day") }))}
          onChange={(value) => (days.value = Number(value))}
        />
      </p>
      <p class="hint">Uploads the profile, with its filters applied, to this server. {whoever} can open the link.</p>
    </div>
  );
}
