import type { Subject } from "./subject.ts";
import { compareVersions, majorOf, type SubjectVersion, wholeText } from "./subject-version.ts";

/** Two versions that meet: messages of one are read by the other. */
export interface VersionPair {
  readonly subject: Subject;
  readonly older: SubjectVersion;
  readonly newer: SubjectVersion;
  /** Who reads whom: the newer the older's messages, the reverse, or both. */
  readonly direction: "backward" | "forward" | "full";
  /** Whether the newer version reads what an upcaster makes of the older one's messages. */
  readonly isUpcast?: boolean;
}

/** A version whose messages another version reads. */
export interface VersionMeeting {
  readonly writer: SubjectVersion;
  readonly reader: SubjectVersion;
  /** Whether the reader sees what an upcaster makes. */
  readonly isUpcast: boolean;
}

/**
 * The versions of a subject that meet: those that services have in flight; or else, within each major, the newest version
 * and every other one. Majors are lanes: a reader that has a version of the writer's major reads by that one, and with the
 * content model `upcast` its newest version also reads what the upcaster makes. Each version meets itself.
 */
export function meetingsOf(subject: Subject): readonly VersionMeeting[] {
  const { versions, inFlight, direction } = subject;
  if (inFlight.length > 0) return meetingsBetween(subject, producedBy(subject), consumersOf(subject));
  const newest = versions.at(-1);
  return versions.flatMap((version): readonly VersionMeeting[] => {
    const head = newestOf(versions, majorOf(version.version)) ?? version;
    const isOutgrown = newest !== undefined && majorOf(version.version) < majorOf(newest.version);
    return [
      { writer: version, reader: version, isUpcast: false },
      ...(version === head || direction === "forward" ? [] : [{ writer: version, reader: head, isUpcast: false }]),
      ...(version === head || direction === "backward" ? [] : [{ writer: head, reader: version, isUpcast: false }]),
      ...(isOutgrown && subject.contentModel === "upcast" ? [{ writer: version, reader: newest, isUpcast: true }] : []),
    ];
  });
}

/** The pairs of different versions of a subject that meet. */
export function pairsWithin(subject: Subject): readonly VersionPair[] {
  return pairsOf(subject, meetingsOf(subject));
}

/**
 * The pairs of versions that were released before with those that are here: each with the newest one of its major, an
 * edited version with its earlier text, and older majors with the newest one if there is an upcaster.
 */
export function pairsWithPast(subjects: readonly Subject[], past: readonly Subject[]): readonly VersionPair[] {
  return subjects.flatMap((subject) => {
    const released = past.find(({ name }) => name === subject.name)?.versions ?? [];
    const newest = subject.versions.at(-1);
    const { direction } = subject;
    return released.flatMap((version): readonly VersionPair[] => {
      const head = newestOf(subject.versions, majorOf(version.version));
      if (head === undefined || newest === undefined) return [];
      const upcast: readonly VersionPair[] =
        subject.contentModel === "upcast" && head !== newest && majorOf(head.version) < majorOf(newest.version)
          ? [{ subject, older: version, newer: newest, direction: "backward", isUpcast: true }]
          : [];
      const same = subject.versions.find((own) => own.version === version.version);
      if (same !== undefined && wholeText(same) !== wholeText(version))
        return [{ subject, older: version, newer: same, direction }, ...upcast];
      // The other branch may have versions that are not here yet.
      if (compareVersions(version.version, head.version) > 0) return upcast;
      return [{ subject, older: version, newer: head, direction }, ...upcast];
    });
  });
}

/**
 * The pairs of versions here with those of other services: what is produced here with what is consumed there, and the
 * reverse. Where `inFlight` is empty, every version counts as produced and consumed.
 */
export function pairsWithOthers(subjects: readonly Subject[], others: readonly Subject[]): readonly VersionPair[] {
  return subjects.flatMap((subject) => {
    const other = others.find(({ name }) => name === subject.name);
    if (other === undefined) return [];
    return pairsOf(subject, [
      ...meetingsBetween(subject, producedBy(subject), consumersOf(other)),
      ...meetingsBetween(subject, producedBy(other), consumersOf(subject)),
    ]);
  });
}

function meetingsBetween(
  { contentModel }: Subject,
  writers: readonly SubjectVersion[],
  consumers: readonly (readonly SubjectVersion[])[],
): readonly VersionMeeting[] {
  return writers.flatMap((writer) =>
    consumers.flatMap((consumed): readonly VersionMeeting[] => {
      const newest = consumed.at(-1);
      if (newest === undefined) return [];
      const major = majorOf(writer.version);
      const lane = consumed.filter(({ version }) => majorOf(version) === major);
      const isUpcast = contentModel === "upcast" && major < majorOf(newest.version);
      return [
        ...lane.map((reader) => ({ writer, reader, isUpcast: false })),
        ...(isUpcast || lane.length === 0 ? [{ writer, reader: newest, isUpcast }] : []),
      ];
    }),
  );
}

function producedBy({ versions, inFlight }: Subject): readonly SubjectVersion[] {
  if (inFlight.length === 0) return versions;
  return versions.filter(({ version }) => inFlight.some(({ produces }) => produces.includes(version)));
}

/** The versions that each service reads, oldest first. */
function consumersOf({ versions, inFlight }: Subject): readonly (readonly SubjectVersion[])[] {
  if (inFlight.length === 0) return [versions];
  return inFlight.map(({ consumes }) => versions.filter(({ version }) => consumes.includes(version)));
}

function newestOf(versions: readonly SubjectVersion[], major: number): SubjectVersion | undefined {
  return versions.findLast(({ version }) => majorOf(version) === major);
}

/** Joins the meetings of the same two versions. */
function pairsOf(subject: Subject, meetings: readonly VersionMeeting[]): readonly VersionPair[] {
  const pairs: VersionPair[] = [];
  for (const { writer, reader, isUpcast } of meetings) {
    if (writer === reader) continue;
    // If two repositories have the same version number, the version in this one counts as the newer.
    const order = compareVersions(writer.version, reader.version) || (subject.versions.includes(writer) ? 1 : -1);
    const [older, newer] = order < 0 ? [writer, reader] : [reader, writer];
    const direction = order < 0 ? "backward" : "forward";
    const at = pairs.findIndex((pair) => pair.older === older && pair.newer === newer && pair.isUpcast === isUpcast);
    const known = pairs[at];
    if (known === undefined) pairs.push({ subject, older, newer, direction, isUpcast });
    else if (known.direction !== direction) pairs[at] = { ...known, direction: "full" };
  }
  return pairs.toSorted(
    (a, b) => compareVersions(a.older.version, b.older.version) || compareVersions(a.newer.version, b.newer.version),
  );
}
