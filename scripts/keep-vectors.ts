/**
 * Writes fixtures/vectors/{legacy,amqp}, the part of the vectors folder that is kept in the repository, from the folder that
 * SOBRE_VECTORS names; the same input makes the same bytes. Only what was made for this project is kept.
 *
 *     SOBRE_VECTORS=../shared/vectors node scripts/keep-vectors.ts
 */
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { dirname, join } from "node:path";

/** A payload of an index: its files and the members that the tests read. */
interface Payload {
  readonly id: string;
  readonly family: string;
  readonly payload: string;
  readonly expected?: string;
  readonly infoset?: string;
}

const source = process.env["SOBRE_VECTORS"];
if (source === undefined) throw new Error("SOBRE_VECTORS must name the vectors folder.");
const target = fileURLToPath(new URL("../fixtures/vectors/", import.meta.url));

/** Members of an index that are paths of files. */
const paths = ["payload", "expected", "infoset"] as const;
const members = ["id", "case", "family", "serializer", "dotnetType", "legacyContentType", "expect", "limits", ...paths];

/** Payloads that tests name: those whose bytes are written for several values, and one of a bare deflate stream. */
const named =
  /^(?:nbfx-dcs-(?:double-negzero|dict-string-string-digits)|xml-xs-(?:allscalars|arrays|timespan|version-type)|json-dcjs-(?:allscalars|arrays|datetime-unspec|datetime-utc|dict-string-object|wide-objects)|text-rawdeflate-json)$/;

rmSync(join(target, "legacy"), { recursive: true, force: true });
rmSync(join(target, "amqp"), { recursive: true, force: true });
keepPayloads("open", 1500);
keepPayloads("malformed", 300);
keepLines("alt-encoding-values", 500, 5);
keepLines("proton-values", 500, 5);
keepLines("messages", 2500, 6);
keepLines("proton-client-messages", 4000, 6);
keepLines("hostile", 700, 1);

/** Keeps every third payload of a family, or all of one with at most 40, with files of at most `size` bytes together. */
function keepPayloads(set: "open" | "malformed", size: number): void {
  const folder = join(source ?? "", "legacy", set);
  const { fixtures }: { readonly fixtures: readonly Payload[] } = JSON.parse(
    readFileSync(join(folder, "index.json"), "utf8"),
  );
  const kept = Object.values(Object.groupBy(fixtures, ({ family }) => family)).flatMap((all = []) => {
    const small = all.filter(
      (payload) => filesOf(payload).reduce((sum, file) => sum + sizeOf(folder, file), 0) <= size,
    );
    const step = small.length > 40 ? 3 : 1;
    const chosen = new Set(small.filter((_, index) => index % step === 0));
    return all.filter((payload) => chosen.has(payload) || named.test(payload.id));
  });
  for (const file of kept.flatMap(filesOf)) {
    const copy = join(target, "legacy", set, file);
    mkdirSync(dirname(copy), { recursive: true });
    copyFileSync(join(folder, file), copy);
  }
  const lines = kept.map((payload) => JSON.stringify(payload, members.concat("maxMs", "maxHeapMB")));
  writeFileSync(join(target, "legacy", set, "index.json"), `{"fixtures":[\n${lines.join(",\n")}\n]}\n`);
}

function filesOf(payload: Payload): readonly string[] {
  return paths.flatMap((path) => payload[path] ?? []);
}

function sizeOf(folder: string, file: string): number {
  return readFileSync(join(folder, file)).byteLength;
}

/** Keeps every n-th line of at most `length` characters of a file of AMQP values or messages. */
function keepLines(name: string, length: number, step: number): void {
  const file = join("amqp/open", `${name}.jsonl`);
  const small = readFileSync(join(source ?? "", file), "utf8")
    .trim()
    .split("\n")
    .map((line) => {
      const { id, hex, value, sections, why, proton }: Readonly<Record<string, unknown>> = JSON.parse(line);
      return JSON.stringify({ id, hex, value, sections, why, proton });
    })
    .filter((line) => line.length <= length);
  mkdirSync(dirname(join(target, file)), { recursive: true });
  writeFileSync(join(target, file), `${small.filter((_, index) => index % step === 0).join("\n")}\n`);
}
