import { checkOption } from "../../src/core/options/option-checks.ts";
import * as is from "../../src/core/options/is.ts";
import type { DecodeLimits } from "../../src/core/codec/limits.ts";
import { SobreError } from "../../src/core/errors/sobre-error.ts";
import type { ContentNode } from "./nodes.ts";
import { StreamParser } from "./parser.ts";

/** A Java stream as written. */
export interface JavaStream {
  /** The top-level contents in order, including resets. */
  readonly contents: readonly ContentNode[];
  /** Byte offsets at which a class's `writeObject` was found to have written none of the fields it declares. */
  readonly withoutFields: readonly number[];
}

/** Maximum number of passes over a stream, and maximum total of bytes read by the passes after the second. */
const maxPasses = 10;
const maxBytesAgain = 512 * 1024;

/**
 * Reads a Java object stream (Java Object Serialization Specification 6, protocol versions 1 and 2) into a tree that
 * keeps everything written, with byte offsets. Nothing is loaded, resolved or run.
 *
 * A class whose `writeObject` leaves out `defaultWriteObject` is indistinguishable from one that does not: if a stream
 * cannot be read with its fields, it is read again without them, at the offsets that allow it, the nearest first.
 *
 * @throws SobreError `DecodeFailed`, `TruncatedPayload` or `LimitExceeded`, with the offset.
 */
export function readStream(payload: Uint8Array, limits: DecodeLimits): JavaStream {
  checkOption("payload", payload, is.bytes);
  checkOption("limits", limits, is.having("limits", { maxBytes: is.number, maxDepth: is.number, maxItems: is.number }));
  const withoutFields = new Set<number>();
  let tried = new Set<number>();
  let best: StreamFailure | undefined;
  for (let pass = 1; ; pass++) {
    const parser = new StreamParser(payload, limits, withoutFields);
    const failure = attempt(parser);
    if (failure === undefined) return { contents: parser.contents, withoutFields: [...withoutFields] };
    const last = [...withoutFields].at(-1);
    if (best === undefined || failure.reached > best.reached) {
      best = failure;
      tried = new Set(withoutFields);
    } else if (last !== undefined) withoutFields.delete(last);
    const next = best.doubtful.findLast((offset) => !tried.has(offset));
    const mayGoOn = pass < 2 || (pass < maxPasses && pass * payload.length < maxBytesAgain);
    if (next === undefined || !mayGoOn) throw best.error;
    tried.add(next);
    withoutFields.add(next);
  }
}

interface StreamFailure {
  readonly error: SobreError;
  /** The offset that the pass reached. */
  readonly reached: number;
  readonly doubtful: readonly number[];
}

function attempt(parser: StreamParser): StreamFailure | undefined {
  try {
    parser.run();
    return undefined;
  } catch (error) {
    if (!(error instanceof SobreError)) throw error;
    // Reaching a limit does not mean that the stream was misread.
    const doubtful = error.code === "LimitExceeded" ? [] : parser.doubtful;
    return { error, reached: parser.cursor.at, doubtful };
  }
}
