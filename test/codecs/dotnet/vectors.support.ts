import { readFileSync } from "node:fs";
import { join } from "node:path";
import { vectors } from "../../vectors.support.ts";

/** One payload of the legacy fixtures; see their CONVENTIONS.md. */
export interface Fixture {
  readonly id: string;
  readonly case: string;
  readonly family: string;
  readonly serializer: string;
  readonly dotnetType?: string;
  readonly legacyContentType: string | null;
  readonly payload: string;
  readonly expected?: string;
  readonly infoset?: string;
  readonly expect: string;
  readonly limits: { readonly maxMs: number; readonly maxHeapMB: number };
}

/** The fixtures of a set. */
export function fixtures(set: "open" | "malformed", families: readonly string[]): readonly Fixture[] {
  const index: { readonly fixtures: readonly Fixture[] } = JSON.parse(read(`${set}/index.json`).toString());
  return index.fixtures.filter(({ family }) => families.includes(family));
}

/** The bytes of a fixture's payload. */
export function payloadOf(set: "open" | "malformed", { payload }: Fixture): Uint8Array {
  return new Uint8Array(read(`${set}/${payload}`));
}

/** A JSON file of the open set. */
export function json(path: string): unknown {
  return JSON.parse(read(`open/${path}`).toString());
}

function read(path: string): Buffer {
  return readFileSync(join(vectors, "legacy", path));
}
