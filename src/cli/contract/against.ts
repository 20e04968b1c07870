import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { folderFiles, type SubjectFiles, textOfFile } from "../../contract/subjects/subject-files.ts";
import { readSubjects, type Subject } from "../../contract/subjects/subject.ts";
import { parseWaivers, type Waiver } from "../../contract/subjects/waivers.ts";
import { Misuse } from "../terminal.ts";

/** The subjects that those here are compared with. */
export interface Other {
  readonly subjects: readonly Subject[];
  /** Whether other services own them: an installed package is another service, not an older version of this one. */
  readonly isElsewhere: boolean;
  readonly waivers: readonly Waiver[];
  /** Golden messages that were committed there and are missing or changed here. */
  readonly goldens: readonly { readonly file: string; readonly isGone: boolean }[];
}

/** The folders of the subjects and of the golden messages. */
interface Folders {
  readonly schemas: string;
  readonly fixtures: string;
}

/** Reads the subjects that `--against` names. @throws Misuse when there are none. */
export function readOther(against: string, folders: Folders): Other {
  if (against.startsWith("git:")) return readReference(against.slice("git:".length), folders);
  if (existsSync(against)) return { ...pastIn(folderFiles(against)), goldens: changedFiles(against, folders) };
  return { ...pastIn(folderFiles(packageFolder(against))), isElsewhere: true, waivers: [], goldens: [] };
}

/** A version that was misnamed when it was released can only be renamed here. */
function pastIn(files: SubjectFiles): Omit<Other, "goldens"> {
  const waivers = files.list().includes("waivers.json") ? parseWaivers(files.read("waivers.json")) : [];
  return { subjects: readSubjects(files, { skipUnread: true }), isElsewhere: false, waivers };
}

function packageFolder(name: string): string {
  try {
    const manifest = createRequire(join(process.cwd(), "package.json")).resolve(`${name}/package.json`);
    return join(dirname(manifest), "schemas");
  } catch {
    throw new Misuse(`--against ${name} is unknown. Expected git:REF, a folder, lock, or an installed package`);
  }
}

function readReference(ref: string, { schemas, fixtures }: Folders): Other {
  // A reference must not be read as an option.
  if (ref.startsWith("-")) throw new Misuse(`--against git:${ref}: not a git reference`);
  const cwd = nearestFolder(schemas);
  const prefix = cwd === schemas ? "" : `${relative(cwd, schemas).replaceAll("\\", "/")}/`;
  const bytes = (...args: readonly string[]): Uint8Array => {
    try {
      return execFileSync("git", args, { cwd, stdio: ["ignore", "pipe", "pipe"], maxBuffer: 2 ** 26 });
    } catch {
      throw new Misuse(
        `--against git:${ref}: git cannot read it. Is git installed, and is ${schemas} in a repository that has fetched it?`,
      );
    }
  };
  const git = (...args: readonly string[]): string => Buffer.from(bytes(...args)).toString();
  const past = pastIn({
    list: () =>
      lines(git("-c", "core.quotePath=off", "ls-tree", "-r", "--name-only", ref, prefix || ".")).map((file) =>
        file.slice(prefix.length),
      ),
    read: (file) => textOfFile(bytes("show", `${ref}:./${prefix}${file}`), file),
  });
  const top = git("rev-parse", "--show-toplevel").trim();
  const root = relative(top, resolve(fixtures)).replaceAll("\\", "/");
  if (root.startsWith("..")) return { ...past, goldens: [] };
  const diff = ["-c", "core.quotePath=off", "diff", "--name-status", "--no-renames", "--diff-filter=DM"];
  const goldens = lines(git(...diff, ref, "--", `:/${root}`)).map((line) => {
    const [status = "", file = ""] = line.split("\t");
    return { file: file.slice(root.length + 1), isGone: status === "D" };
  });
  return { ...past, goldens };
}

/** The folder, or the one above it that is still there: git leaves none where the last file was deleted. */
function nearestFolder(folder: string): string {
  return existsSync(folder) ? folder : nearestFolder(dirname(resolve(folder)));
}

function lines(text: string): readonly string[] {
  return text.split("\n").filter((line) => line !== "");
}

/** The golden messages next to a folder of subjects that are missing or changed here. */
function changedFiles(against: string, { schemas, fixtures }: Folders): Other["goldens"] {
  const before = join(dirname(resolve(against)), relative(dirname(resolve(schemas)), resolve(fixtures)));
  if (!existsSync(before)) return [];
  return readdirSync(before, { recursive: true, encoding: "utf8", withFileTypes: true })
    .filter((entry) => entry.isFile())
    .flatMap((entry) => {
      const file = relative(before, join(entry.parentPath, entry.name));
      const own = join(fixtures, file);
      const isGone = !existsSync(own);
      if (!isGone && readFileSync(own).equals(readFileSync(join(before, file)))) return [];
      return [{ file: file.replaceAll("\\", "/"), isGone }];
    });
}
