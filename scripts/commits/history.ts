import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** One commit, without its merge parents. */
export interface Commit {
  readonly hash: string;
  readonly subject: string;
  readonly body: string;
  /** Added and removed lines; a renamed file counts only what changed in it. */
  readonly changedLines: number;
}

/** The last commit before the rules began. */
const start = "da9093b4f06a79402e61aaf9169669fd3ef6fecb";

/**
 * The commits that the rules apply to, newest first; `undefined` where there is no history, e.g. in a copy of the files alone
 * or in a shallow clone. `SOBRE_REPOSITORY` names the repository of such a copy.
 */
export function commitHistory(): readonly Commit[] | undefined {
  const repository = process.env["SOBRE_REPOSITORY"] ?? fileURLToPath(new URL("../..", import.meta.url));
  const git = (...options: readonly string[]): string =>
    execFileSync("git", ["-C", repository, ...options], { encoding: "utf8", maxBuffer: 2 ** 28 });

  if (!existsSync(join(repository, ".git")) || !isAncestor(git)) return undefined;
  return git("log", "--no-merges", "--find-renames", "--numstat", "--format=%x1e%h%x1f%s%x1f%b%x1f", `${start}..HEAD`)
    .split("\u001e")
    .slice(1)
    .map((entry) => {
      const [hash = "", subject = "", body = "", changes = ""] = entry.split("\u001f");
      return { hash, subject, body: body.trim(), changedLines: sumOf(changes) };
    });
}

function isAncestor(git: (...options: readonly string[]) => string): boolean {
  try {
    git("merge-base", "--is-ancestor", start, "HEAD");
    return true;
  } catch {
    return false;
  }
}

/** Binary files have dashes in place of numbers. */
function sumOf(numstat: string): number {
  return Array.from(
    numstat.matchAll(/^(\d+)\t(\d+)\t/gm),
    ([, added, removed]) => Number(added) + Number(removed),
  ).reduce((sum, count) => sum + count, 0);
}
