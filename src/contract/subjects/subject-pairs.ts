import { compareVersions, type Subject, type SubjectVersion } from "./subject.ts";

/** Two versions that meet: messages of one are read by the other. */
export interface VersionPair {
  readonly subject: Subject;
  readonly older: SubjectVersion;
  readonly newer: SubjectVersion;
  /** Who reads whom: the newer the older's messages, the reverse, or both. */
  readonly direction: "backward" | "forward" | "full";
}

/**
 * The pairs of a subject's versions that meet: those that services have in flight, or else every older version with the
 * newest one.
 */
export function pairsWithin(subject: Subject): readonly VersionPair[] {
  const { versions, inFlight, direction } = subject;
  const newest = versions.at(-1);
  if (inFlight.length === 0) {
    return versions.slice(0, -1).flatMap((older) => (newest ? [{ subject, older, newer: newest, direction }] : []));
  }
  const meets = (writer: SubjectVersion, reader: SubjectVersion): boolean =>
    inFlight.some(({ produces }) => produces.includes(writer.version)) &&
    inFlight.some(({ consumes }) => consumes.includes(reader.version));
  return versions.flatMap((older, at) =>
    versions.slice(at + 1).flatMap((newer): readonly VersionPair[] => {
      const [backward, forward] = [meets(older, newer), meets(newer, older)];
      if (!backward && !forward) return [];
      return [{ subject, older, newer, direction: backward && forward ? "full" : backward ? "backward" : "forward" }];
    }),
  );
}

/**
 * The pairs of what others have released with what is here: each of their versions with the newest one here, an edited
 * version with what it was, an unchanged newest one with itself, and one that is newer than all here with the newest here.
 */
export function pairsAgainst(
  subjects: readonly Subject[],
  others: readonly Subject[],
  isElsewhere: boolean,
): readonly VersionPair[] {
  return subjects.flatMap((subject) => {
    const theirs = others.find(({ name }) => name === subject.name)?.versions ?? [];
    const newest = subject.versions.at(-1);
    if (newest === undefined) return [];
    return theirs.flatMap((version): readonly VersionPair[] => {
      const same = subject.versions.find((own) => own.version === version.version);
      const { direction } = subject;
      if (same !== undefined && same.text !== version.text)
        return [{ subject, older: version, newer: same, direction }];
      const order = compareVersions(version.version, newest.version);
      if (order === 0) return [{ subject, older: version, newer: newest, direction }];
      const reads = isElsewhere ? readsOf(subject) : undefined;
      if (order < 0)
        return [{ subject, older: version, newer: newest, direction: directionOf(reads, "backward") ?? direction }];
      // Of what is merged elsewhere, a folder or a reference may know more than is here.
      if (!isElsewhere) return [];
      return [{ subject, older: newest, newer: version, direction: directionOf(reads, "forward") ?? direction }];
    });
  });
}

/** Whether the services here read, write, or both; `undefined` when nothing is said. */
function readsOf({ inFlight }: Subject): "read" | "write" | "both" | undefined {
  const [writes, reads] = [
    inFlight.some(({ produces }) => produces.length > 0),
    inFlight.some(({ consumes }) => consumes.length > 0),
  ];
  if (writes && reads) return "both";
  return reads ? "read" : writes ? "write" : undefined;
}

/** The direction in which services here read, which is `reading`, or in which others read what these write. */
function directionOf(
  reads: ReturnType<typeof readsOf>,
  reading: "backward" | "forward",
): VersionPair["direction"] | undefined {
  if (reads === undefined) return undefined;
  if (reads === "both") return "full";
  return (reads === "read") === (reading === "backward") ? "backward" : "forward";
}
