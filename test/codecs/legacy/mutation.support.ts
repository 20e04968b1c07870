import { type Decoder, resolveDecodeLimits } from "../../../src/core/codec/index.ts";
import { valueToJson } from "../../../src/core/values/value-json.ts";
import { SobreError } from "../../../src/core/errors/index.ts";
import { type Random, seeded } from "../../random.support.ts";

/** Numbers that counts, lengths and references like least, in both byte orders. */
const awkward: readonly (readonly number[])[] = [
  [0x7f, 0xff, 0xff, 0xff],
  [0xff, 0xff, 0xff, 0x7f],
  [0xff, 0xff, 0xff, 0xff],
  [0x80, 0x00, 0x00, 0x00],
  [0x00, 0x00, 0x00, 0x80],
  [0x00, 0x10, 0x00, 0x00],
  [0x00, 0x00, 0x10, 0x00],
  [0x00, 0x7e, 0x00, 0x00],
  [0x00, 0x7e, 0x00, 0x01],
  [0x01, 0x00, 0x00, 0x00],
];

/** A payload with a few bytes changed, cut out, doubled, or taken from another payload; sometimes cut short. */
function mutated(random: Random, payload: Uint8Array, other: Uint8Array): Uint8Array {
  const at = random.integer(payload.length);
  switch (random.integer(8)) {
    case 0:
      return payload.slice(0, at);
    case 1: {
      const changed = payload.slice();
      changed.set(random.pick(awkward).slice(0, payload.length - at), at);
      return changed;
    }
    case 2: {
      // Cut out.
      const end = Math.min(payload.length, at + 1 + random.integer(16));
      return joined(payload.subarray(0, at), payload.subarray(end));
    }
    case 3: {
      // Doubled.
      const end = Math.min(payload.length, at + 1 + random.integer(64));
      return joined(payload.subarray(0, end), payload.subarray(at));
    }
    case 4:
      return joined(payload.subarray(0, at), other.subarray(random.integer(other.length)));
    default: {
      const changed = payload.slice();
      for (let flips = 1 + random.integer(4); flips > 0; flips--) {
        const place = random.integer(changed.length);
        changed[place] = random.chance(0.5) ? random.integer(256) : (changed[place] ?? 0) ^ (1 << random.integer(8));
      }
      return changed;
    }
  }
}

function joined(left: Uint8Array, right: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(left.length + right.length);
  bytes.set(left);
  bytes.set(right, left.length);
  return bytes;
}

/** The counts of a run over mutated payloads. */
export interface MutationCounts {
  readonly read: number;
  readonly refused: Readonly<Record<string, number>>;
  /** Of the slowest one. */
  readonly slowestMilliseconds: number;
}

const codes: ReadonlySet<string> = new Set(["DecodeFailed", "TruncatedPayload", "TrailingBytes", "LimitExceeded"]);

/**
 * Decodes `total` mutations, and renders what is read.
 *
 * @throws Error for one that throws anything but a decode error with an offset inside the payload, or that takes longer
 * than `most` milliseconds five times in a row.
 */
export function decodeMutated(
  decoder: Decoder,
  seeds: readonly Uint8Array[],
  { total, seed, most }: { readonly total: number; readonly seed: number; readonly most: number },
): MutationCounts {
  const random = seeded(seed);
  const refused = new Map<string, number>();
  let read = 0;
  let slowest = 0;
  const prototype = Object.getOwnPropertyNames(Object.prototype).join();
  const attempt = (payload: Uint8Array): { readonly code: string | undefined; readonly milliseconds: number } => {
    // Of the thread: other processes take time, too.
    const start = process.threadCpuUsage();
    const outcome = outcomeOf(decoder, payload);
    const { user, system } = process.threadCpuUsage(start);
    if (typeof outcome !== "string") valueToJson(outcome.body);
    return { code: typeof outcome === "string" ? outcome : undefined, milliseconds: (user + system) / 1000 };
  };
  for (let done = 0; done < total; done++) {
    const once = mutated(random, random.pick(seeds), random.pick(seeds));
    const payload = random.chance(0.2) && once.length > 0 ? mutated(random, once, random.pick(seeds)) : once;
    let { code, milliseconds } = attempt(payload);
    // Collecting garbage takes time, too, but not always.
    for (let again = 0; again < 4 && milliseconds > most; again++) {
      milliseconds = Math.min(milliseconds, attempt(payload).milliseconds);
    }
    if (milliseconds > most) throw new Error(`${milliseconds} ms for ${hexOf(payload)}`);
    slowest = Math.max(slowest, milliseconds);
    if (code === undefined) read++;
    else refused.set(code, (refused.get(code) ?? 0) + 1);
  }
  if (Object.getOwnPropertyNames(Object.prototype).join() !== prototype) throw new Error("A prototype was touched.");
  return { read, refused: Object.fromEntries(refused), slowestMilliseconds: slowest };
}

const limits = resolveDecodeLimits();

/** The value that was read, or the code of the error. */
function outcomeOf(decoder: Decoder, payload: Uint8Array): string | { readonly body: unknown } {
  try {
    const decoded = decoder.decode(payload, {
      contentType: undefined,
      applicationProperties: {},
      bodyKind: "data",
      limits,
    });
    return { body: "body" in decoded ? decoded.body : decoded.unwrapped };
  } catch (error) {
    if (!(error instanceof SobreError) || !codes.has(error.code)) {
      throw new Error(`not a decode error for ${hexOf(payload)}`, { cause: error });
    }
    if (error.offset === undefined || error.offset < 0 || error.offset > payload.length) {
      const where = `${error.code} at ${error.offset} of ${payload.length} bytes`;
      throw new Error(`${where} for ${hexOf(payload)}`, { cause: error });
    }
    return error.code;
  }
}

function hexOf(payload: Uint8Array): string {
  return Buffer.from(payload.subarray(0, 4096)).toString("hex");
}
