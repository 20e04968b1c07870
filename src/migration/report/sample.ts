import { isUtf8 } from "node:buffer";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { valueToJson } from "../../core/values/value-json.ts";
import type { Sample } from "../journal-entry.ts";

/** Maximum characters of each side of a sample. */
const maxSampleLength = 2_000;
/** Maximum bytes of a payload from which a sample is taken. */
const maxBytes = 65_536;
/** Maximum number of types that have a sample. */
const maxTypes = 500;

/** A payload, and the value that was read from it. */
export interface SampledPayload {
  readonly payload: Uint8Array;
  readonly body: unknown;
}

/** Takes one sample of each type, before and after its migration. */
export class TypeSamples {
  readonly #types = new Set<string>();

  /** The text of a source payload, unless its type has a sample. */
  before(typeName: string, source: SampledPayload): string | undefined {
    const isWanted = this.#types.size < maxTypes && !this.#types.has(typeName);
    return isWanted && source.payload.byteLength <= maxBytes ? textOfSample(source) : undefined;
  }

  /** Completes the sample of a type. */
  take(typeName: string, before: string, written: SampledPayload): Sample {
    this.#types.add(typeName);
    return { before, after: textOfSample(written) ?? "" };
  }
}

function textOfSample({ payload, body }: SampledPayload): string | undefined {
  const text = legible(payload) ?? rendered(body);
  return text === undefined || text.length <= maxSampleLength ? text : `${text.slice(0, maxSampleLength)}…`;
}

function rendered(body: unknown): string | undefined {
  try {
    return JSON.stringify(valueToJson(body), undefined, 2);
  } catch (error) {
    // Some values have no JSON form.
    if (error instanceof SobreError) return undefined;
    throw error;
  }
}

// oxlint-disable-next-line no-control-regex -- text has no other control characters
const controls = /[\u0000-\u0008\u000e-\u001f]/;

function legible(payload: Uint8Array): string | undefined {
  if (!isUtf8(payload)) return undefined;
  const text = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength).toString("utf8");
  return controls.test(text) ? undefined : text;
}
