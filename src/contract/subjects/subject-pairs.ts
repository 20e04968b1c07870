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

/** The pairs of what others have released with what is here: each of their versions with the newest one here. */
export function pairsAgainst(subjects: readonly Subject[], others: readonly Subject[]): readonly VersionPair[] {
  return subjects.flatMap((subject) => {
    const theirs = others.find(({ name }) => name === subject.name)?.versions ?? [];
    const newest = subject.versions.at(-1);
    if (newest === undefined) return [];
    return theirs.flatMap((older): readonly VersionPair[] => {
      const same = subject.versions.find(({ version }) => version === older.version);
      // An edit of a released version is compared with what it was.
      if (same !== undefined && same.text !== older.text)
        return [{ subject, older, newer: same, direction: subject.direction }];
      if (compareVersions(older.version, newest.version) >= 0) return [];
      return [{ subject, older, newer: newest, direction: subject.direction }];
    });
  });
}
