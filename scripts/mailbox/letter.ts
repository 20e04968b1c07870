import { readFileSync } from "node:fs";
import { join } from "node:path";

/** One message of the mailbox as the make script describes it; the manifest adds size and hash. */
export interface Letter {
  readonly file: string;
  readonly payload: Uint8Array;
  /** `null`: the message declares none. */
  readonly contentType: string | null;
  readonly contentEncoding?: string;
  readonly bodyKind?: "value" | "sequence";
  readonly applicationProperties?: Readonly<Record<string, string>>;
  /** Where the bytes come from. */
  readonly source: string;
  readonly expect: Expectation;
  /** An operator's change to the dead letter before sending it again. */
  readonly repair?: { readonly contentType: string; readonly expect: Expectation };
}

/** The expected outcome of a message: read by a codec to a value (with the `$` objects), or dead-lettered after these tries. */
export type Expectation =
  | { readonly readBy: string; readonly value?: unknown }
  | { readonly deadLetter: string; readonly tried: readonly string[]; readonly looksLike?: string };

/** A message that `codec` reads to `value`, in the rendering with `$` objects. */
export function readBy(codec: string, value: unknown): Expectation {
  return { readBy: codec, value };
}

/** A dead letter that these decoders have tried; those that its first bytes rule out have not. */
export function unreadable(tried: readonly string[], looksLike?: string): Expectation {
  return { deadLetter: "Unreadable", tried, ...(looksLike === undefined ? {} : { looksLike }) };
}

/** A payload of the vectors folder, with what its index says about it. */
export interface Vector {
  readonly payload: Uint8Array;
  readonly source: string;
}

/** Finds a payload by its id. */
export type Source = (id: string) => Vector;

/** Reads a set of the vectors folder's legacy payloads. */
export function legacyVectors(folder: string, set: "open" | "malformed"): Source {
  const find = fixturesOf(folder, set);
  return (id) => {
    const fixture = find(id);
    const payload = readFileSync(join(folder, "legacy", set, String(member(fixture, "payload"))));
    const [serializer = "malformed"] = ["serializer", "note"].flatMap((name) => {
      const told = member(fixture, name);
      return typeof told === "string" ? [told] : [];
    });
    return { payload, source: `${id}: ${serializer}, ${runtimeOf(fixture)}` };
  };
}

/** Reads what the payloads of `open` hold, in the rendering with `$` objects. */
export function expectedValues(folder: string): (id: string) => unknown {
  const find = fixturesOf(folder, "open");
  return (id) => JSON.parse(readFileSync(join(folder, "legacy", "open", String(member(find(id), "expected"))), "utf8"));
}

function fixturesOf(folder: string, set: string): (id: string) => unknown {
  const index: unknown = JSON.parse(readFileSync(join(folder, "legacy", set, "index.json"), "utf8"));
  const fixtures = list(member(index, "fixtures"));
  return (id) => {
    const fixture = fixtures.find((candidate) => member(candidate, "id") === id);
    if (fixture === undefined) throw new Error(`The vectors have no payload "${id}".`);
    return fixture;
  };
}

/** The body of an AMQP value or sequence message: what follows its section descriptor. */
export function bodyOf({ payload, source }: Vector, section: 0x76 | 0x77): Vector {
  const at = Buffer.from(payload).indexOf(Buffer.from([0x00, 0x53, section]));
  if (at === -1) throw new Error(`No section 0x${section.toString(16)} in ${source}.`);
  return { payload: payload.subarray(at + 3), source: `${source}; the body without its section descriptor` };
}

function runtimeOf(fixture: unknown): string {
  const runtime = member(fixture, "runtime");
  return typeof runtime === "string" ? runtime : "made for this project";
}

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? new Map(Object.entries(value)).get(name) : undefined;
}

function list(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new Error("The index of the vectors has no list of fixtures.");
}
