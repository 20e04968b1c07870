import { sha256 } from "../witness.ts";
import type { Subject } from "./subject.ts";
import { plainText, type SubjectVersion, wholeText } from "./subject-version.ts";

/** A finding on a subject as a whole rather than on a pair of its versions. */
export interface SubjectFinding {
  readonly subject: string;
  /** Short name of the kind of change, e.g. `subject-deleted`. */
  readonly code: string;
  /** One sentence. */
  readonly message: string;
  /** How to repair it. */
  readonly repair: string;
  /** Path under the folder of subjects. */
  readonly file: string;
  /** A warning does not fail the check. */
  readonly severity: "error" | "warning";
  /** A message that shows the difference, if there is one. */
  readonly witness?: { readonly value: unknown; readonly outcome: string };
  /** SHA-256 in hex, which waivers name. */
  readonly hash: string;
}

/** Makes a finding with its hash; an error unless it says otherwise. */
export function subjectFinding(
  finding: Omit<SubjectFinding, "hash" | "severity"> & Partial<Pick<SubjectFinding, "severity">>,
): SubjectFinding {
  return { severity: "error", ...finding, hash: sha256(`${finding.code}\n${finding.subject}\n${finding.message}`) };
}

/** Changes by which something released is no longer checked: deleted or edited versions, and looser policies. */
export function subjectChanges(subjects: readonly Subject[], past: readonly Subject[]): readonly SubjectFinding[] {
  return past.flatMap((before) => {
    const now = subjects.find(({ name }) => name === before.name);
    if (now !== undefined) return [...versionChanges(before, now), ...loosenings(before, now)];
    if (before.versions.length === 0) return [];
    return [
      subjectFinding({
        subject: before.name,
        code: "subject-deleted",
        message: `The subject ${before.name} was released and is gone, so nothing checks its messages any more.`,
        repair: `Restore ${before.name}, or waive this once no message of it is in flight.`,
        file: `${before.name}/subject.json`,
      }),
    ];
  });
}

function versionChanges(before: Subject, { name, versions }: Subject): readonly SubjectFinding[] {
  return before.versions.flatMap((released) => {
    const { version, file, text } = released;
    const same = versions.find((own) => own.version === version);
    if (same !== undefined && wholeText(same) === wholeText(released)) return [];
    const [code, what, repair] =
      same === undefined
        ? ["version-deleted", "is gone", "Restore it"]
        : plainText(same.text) === plainText(text)
          ? [
              "version-edited",
              `a file that it refers to has been edited: ${editedPart(released, same)}`,
              "Undo the edit",
            ]
          : ["version-edited", "has been edited", "Undo the edit, and add a new version"];
    const message = `${file} was released and ${what}.`;
    return [subjectFinding({ subject: name, code, message, repair: `${repair}, or waive this.`, file })];
  });
}

function editedPart(before: SubjectVersion, now: SubjectVersion): string {
  const edited = before.parts.find(
    ({ file, text }) => !now.parts.some((part) => part.file === file && plainText(part.text) === plainText(text)),
  );
  return edited?.file ?? now.parts.at(-1)?.file ?? now.file;
}

/** The settings from strictest to loosest. */
const strictness = {
  contentModel: [["as-written"], ["declared-writer"], ["upcast"]],
  formats: [["either"], ["annotation", "assertion"]],
  policy: [["source"], ["json"], ["wire"]],
  typeName: [["travels"], ["agreed"]],
  tested: [["refuse"], ["allow"]],
  direction: [["full"], ["backward", "forward"]],
} as const;

const settingPaths = {
  contentModel: "policy.contentModel",
  formats: "policy.formats",
  policy: "policy.protobuf",
  typeName: "policy.typeName",
  tested: "policy.tested",
  direction: "policy.direction",
} as const;

function loosenings(before: Subject, now: Subject): readonly SubjectFinding[] {
  const settings = (["contentModel", "formats", "policy", "typeName", "tested", "direction"] as const).flatMap(
    (name) => {
      const order: readonly (readonly string[])[] = strictness[name];
      const [old, own] = [before[name], now[name]];
      const rank = (value: string): number => order.findIndex((values) => values.includes(value));
      // Two settings with the same rank do not include each other.
      return old !== own && rank(own) >= rank(old) ? [`${settingPaths[name]} went from ${old} to ${own}`] : [];
    },
  );
  const codecs = before.codecs
    .filter((codec) => !now.codecs.includes(codec))
    .map((codec) => `the codec ${codec} is gone`);
  const ignored = now.ignore
    .filter((code) => !before.ignore.includes(code))
    .map((code) => `policy.ignore names ${code}`);
  const services = before.inFlight
    .filter(({ service, produces, consumes }) => {
      const own = now.inFlight.find((one) => one.service === service);
      return (
        (produces.length > 0 && (own?.produces.length ?? 0) === 0) ||
        (consumes.length > 0 && (own?.consumes.length ?? 0) === 0)
      );
    })
    .map(({ service }) => `inFlight no longer lists what ${service} produces or consumes`);
  return [...settings, ...(now.codecs.length > 0 ? codecs : []), ...ignored, ...services].map((what) =>
    subjectFinding({
      subject: now.name,
      code: "policy-loosened",
      message: `${now.name}: ${what}, so less is checked than before.`,
      repair: "Undo it, or waive this with the reason.",
      file: `${now.name}/subject.json`,
    }),
  );
}

/** Golden messages that were committed before and have been deleted or changed, by file. */
export function goldenChanges(
  changed: readonly { readonly file: string; readonly isGone: boolean }[],
): readonly SubjectFinding[] {
  const groups = Map.groupBy(changed, ({ file, isGone }) => {
    const [, place = file] = /^(.+\/\d+\.\d+)\//.exec(file) ?? [];
    return `${place} ${isGone ? "are gone" : "were changed"}`;
  });
  return Array.from(groups, ([what, files]) => {
    const [place = ""] = what.split(" ");
    const cut = place.lastIndexOf("/");
    return subjectFinding({
      subject: place.slice(0, Math.max(0, cut)),
      code: what.endsWith("gone") ? "golden-deleted" : "golden-changed",
      message: `Golden messages of ${what}: ${files.map(({ file }) => file.slice(place.length + 1)).join(", ")}.`,
      repair: "Restore them: messages like them may still be in flight.",
      file: `${place.slice(0, Math.max(0, cut))}/subject.json`,
    });
  });
}
