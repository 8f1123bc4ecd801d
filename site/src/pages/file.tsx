import { Icon } from "../components/controls/icon.tsx";
import { Select } from "../components/controls/select.tsx";
import { DropZone } from "../components/files/dropzone.tsx";
import { Header } from "../components/header/header.tsx";
import { lazy } from "../components/lazy.tsx";
import { FileNotes } from "../components/status/filenotes.tsx";
import { Footer } from "../components/status/footer.tsx";
import { FailureList } from "../components/status/problemnote.tsx";
import { isGauge } from "../format/type.ts";
import { formatBytes, formatValue, plural, unitOf } from "../format/value.ts";
import { keepTwoFiles, twoFiles } from "../state/page/twofiles.ts";
import {
  checked,
  closeFile,
  comparing,
  differ,
  files,
  moveAcross,
  type OpenedFile,
  offeredTypes,
  opening,
  setChecked,
  showAll,
  showOnly,
  sides,
  swapFiles,
  typeIndex,
} from "../state/profile/files.ts";
import { failures } from "../state/profile/opening.ts";
import { sharedTypes, typesDiffer } from "../state/profile/sametypes.ts";
import { server } from "../state/query/services.ts";
import { formatRoute, initialRoute } from "../state/url/route.ts";
import { fileRoute, go, NO_FOCUS, visit } from "../state/url/router.ts";
import { Picture } from "../views/picture.tsx";

const SharedList = lazy(() => import("../components/files/sharedlist.tsx").then((module) => module.SharedList));

/** Opened profiles: one, several merged, or some compared with others. */
export function FilePage() {
  const { embed } = fileRoute.value;
  return (
    <>
      {!embed && (
        <Header>
          <TypeSelect />
        </Header>
      )}
      {files.value.length > (embed ? 1 : 0) && <FileStrip />}
      <main class="main">
        <FailureList
          problems={failures.value}
          dismiss={(gone) => (failures.value = failures.value.filter((problem) => !gone.includes(problem)))}
        />
        <FileNotes />
        <Picture
          none={
            !opening.value &&
            (files.value.length === 0 ? (
              <DropZone wide>
                {isViewOfFile() && (
                  <p class="hint" data-testid="file-missing">
                    This link describes a view of a file, but doesn't include the file. Open the file to see it.
                  </p>
                )}
                {server.value === "present" && !embed && <SharedList />}
              </DropZone>
            ) : (
              <p class="hint center">Choose one or more of the files above.</p>
            ))
          }
        />
      </main>
      {!embed && <Footer />}
    </>
  );
}

/** Whether the address says how to look at a file that was open in a tab: after a reload, or in the link of someone else. */
function isViewOfFile(): boolean {
  const { shares, addresses, embed, ...view } = fileRoute.value;
  const isFetched = shares.length > 0 || location.hash !== "" || failures.value.length > 0;
  return !isFetched && formatRoute({ ...initialRoute("file"), ...view }) !== "file";
}

function TypeSelect() {
  const first = checked.value[0]?.info;
  if (!first || first.types.length < 2 || offeredTypes.value.length === 0) return null;
  const value = first.types[typeIndex(first)].type;
  return (
    <Select
      label="Type"
      testid="type"
      value={value}
      options={offeredTypes.value.map((type) => ({ value: type, label: type.replace(/_/g, " ") }))}
      onChange={(type) => go({ type })}
    />
  );
}

/** The opened files, which of them are looked at, and how. */
function FileStrip() {
  const count = checked.value.length;
  const all = files.value;
  const hidden = count < all.length;
  const reason = typesDiffer(all);
  const first = checked.value[0]?.info;
  const gauge = first !== undefined && isGauge(`:${first.types[typeIndex(first)].type}`);
  const merged = comparing.value ? Math.max(sides.value.base.length, sides.value.other.length) : count;
  const undecided = count === 2 && twoFiles.value === null && !comparing.value;
  const hints = [
    hidden && `Showing ${count} of ${all.length} files.`,
    reason && `These files can't ${all.length > 2 ? "all " : ""}be merged: ${reason}.`,
    undecided && !hidden && "Choose Merge or Compare. Pilotlight remembers your choice.",
    gauge && merged > 1 && "Snapshots of merged files are added up, not averaged.",
  ];
  return (
    <div class="file-strip">
      <ul class="file-list" aria-label="Opened files" data-testid="files">
        {all.map((file) => (
          <FileItem key={file.info.id} file={file} />
        ))}
      </ul>
      {count > 1 && (
        <fieldset class="segmented" aria-label="Several files">
          <button
            type="button"
            aria-pressed={!comparing.value}
            disabled={differ.value !== ""}
            data-testid="merge"
            onClick={() => choose("merge")}
          >
            Merge {count} files
          </button>
          <button type="button" aria-pressed={comparing.value} data-testid="compare" onClick={() => choose("compare")}>
            Compare
          </button>
        </fieldset>
      )}
      <span class="soft" role="status" data-testid="file-hint">
        {hints.filter(Boolean).join(" ")}
      </span>
      {hidden && (reason === "" || (all.length === 2 && sharedTypes(all).length > 0)) && (
        <button type="button" class="link" data-testid="show-all" onClick={showAll}>
          Show all
        </button>
      )}
      {comparing.value && (
        <button
          type="button"
          class="control"
          title="Swap baseline and comparison (x)"
          data-testid="swap"
          onClick={swapFiles}
        >
          <Icon name="swap" /> Swap
        </button>
      )}
    </div>
  );
}

/** Of two files it is what the next two open with. */
function choose(what: "merge" | "compare"): void {
  if (checked.peek().length === 2) keepTwoFiles(what);
  go({ compare: what === "compare" });
}

function FileItem({ file }: { file: OpenedFile }) {
  const { info } = file;
  const type = info.types[typeIndex(info)];
  const amount = type ? formatValue(type.total, unitOf(type)) : "";
  const about = [info.format, amount, formatBytes(file.bytes), plural(info.samples, "record")].filter(Boolean);
  return (
    <li class={file.checked ? "file on" : "file"}>
      <label title={`${info.name}: ${about.join(", ")}`}>
        <input
          type="checkbox"
          checked={file.checked}
          onChange={(event) => {
            go({ ...NO_FOCUS, against: null, compare: fileRoute.value.compare }, "replace");
            setChecked(info.id, event.currentTarget.checked);
          }}
        />
        <span class="file-name">{info.name}</span>
        <span class="soft file-format" data-testid="format">
          {info.format}
        </span>
        <span class="soft file-amount">{amount}</span>
      </label>
      {comparing.value && file.checked && <Role file={file} />}
      {files.value.length > 1 && (
        <button type="button" class="link" title={`Show ${info.name} alone`} onClick={() => showOnly(info.id)}>
          only
        </button>
      )}
      <button
        type="button"
        class="icon-only control quiet"
        title={`Close ${info.name}`}
        onClick={() => {
          closeFile(info.id);
          // Nothing is left of what the address shows.
          if (files.value.length === 0) visit("file");
        }}
      >
        <Icon name="close" />
      </button>
    </li>
  );
}

/** The side of a comparison that a file is on. With more than two files each can go to the other side. */
function Role({ file }: { file: OpenedFile }) {
  const { base, other } = sides.value;
  const [mine, role] = base.includes(file) ? [base, "baseline"] : [other, "comparison"];
  if (base.length + other.length === 2) return <b class={`role ${role}`}>{role}</b>;
  const last = mine.length === 1;
  return (
    <button
      type="button"
      class={`role ${role}`}
      disabled={last}
      title={last ? "Each side needs at least one file" : `Put ${file.info.name} on the other side`}
      data-testid="role"
      onClick={() => moveAcross(file.info.id)}
    >
      {role}
    </button>
  );
}
