import { registerHooks, stripTypeScriptTypes } from "node:module";
import { readFileSync } from "node:fs";
import { dirname, relative, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseAst } from "vitest/node";

const root = fileURLToPath(new URL("../..", import.meta.url));
const messages = 50;

let calls = 0;
let crossings = 0;
let last = "";
const files = new Set<string>();
const pairs = new Map<string, number>();

function enter(file: string, folder: string): void {
  calls++;
  files.add(file);
  if (folder !== last && last !== "") {
    crossings++;
    const pair = [last, folder].toSorted().join(" ↔ ");
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  last = folder;
}

function reset(): void {
  calls = 0;
  crossings = 0;
  last = "";
  files.clear();
  pairs.clear();
}

/** Two folders deep, e.g. `codecs/json`, whatever lies below them. */
const folderOf = (file: string): string => dirname(file).split("/").slice(0, 3).join("/");

interface Insertion {
  readonly at: number;
  readonly text: string;
}

/** Where the body of a function begins, and the code to insert there for it to report its entry. */
function insertionsOf(node: unknown, report: string): Insertion[] {
  if (Array.isArray(node)) return node.flatMap((item) => insertionsOf(item, report));
  if (typeof node !== "object" || node === null) return [];
  const inner = Object.values(node).flatMap((value) => insertionsOf(value, report));
  if (!("type" in node) || typeof node.type !== "string" || !node.type.includes("Function")) return inner;
  if (!("body" in node) || typeof node.body !== "object" || node.body === null) return inner;
  const body = node.body;
  if (!("type" in body) || !("start" in body) || !("end" in body)) return inner;
  if (typeof body.start !== "number" || typeof body.end !== "number") return inner;
  if (body.type === "BlockStatement") return [...inner, { at: body.start + 1, text: `${report};` }];
  return [...inner, { at: body.start, text: `(${report},(` }, { at: body.end, text: "))" }];
}

function instrumented(file: string): string {
  const code = stripTypeScriptTypes(readFileSync(`${root}${file}`, "utf8"));
  const report = `globalThis[Symbol.for("sobre.walk")](${JSON.stringify(file)},${JSON.stringify(folderOf(file))})`;
  let text = "";
  let done = 0;
  for (const { at, text: inserted } of insertionsOf(parseAst(code), report).toSorted((a, b) => a.at - b.at)) {
    text += code.slice(done, at) + inserted;
    done = at;
  }
  return text + code.slice(done);
}

/** Makes every function of `src` and `codecs` report its entry. Import what is to be counted afterwards. */
export function instrumentSources(): void {
  Object.assign(globalThis, { [Symbol.for("sobre.walk")]: enter });
  registerHooks({
    load(url, context, next) {
      if (!url.startsWith(pathToFileURL(root).href)) return next(url, context);
      const file = relative(root, fileURLToPath(url)).split(sep).join("/");
      if (!/^(?:src|codecs)\/.*\.ts$/.test(file)) return next(url, context);
      return { format: "module", source: instrumented(file), shortCircuit: true };
    },
  });
}

const perMessage = (count: number): number => Math.round(count / messages);

/**
 * Prints how one message of `walk` travels through the code. A crossing is an entry into another folder than that of the
 * entry before it.
 */
export async function printJourney(title: string, walk: () => Promise<void>): Promise<void> {
  for (let message = 0; message < 10; message++) await walk();
  reset();
  for (let message = 0; message < messages; message++) await walk();
  console.log(
    `${title}: ${perMessage(calls)} calls, ${files.size} files, ${perMessage(crossings)} folder crossings per message`,
  );
  for (const [pair, count] of [...pairs].toSorted(([, a], [, b]) => b - a)) {
    if (perMessage(count) > 0) console.log(`${String(perMessage(count)).padStart(5)}  ${pair}`);
  }
}
