import { guardedStage } from "../../core/codec/guarded-stage.ts";
import { createHash } from "node:crypto";
import type { PayloadStage } from "../../core/codec/payload-stage.ts";
import { amend, type BodyKind, type Envelope } from "../../core/envelope/envelope.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { checkOptions, invalidOption, type OptionChecks } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";
import { withLayer, withoutLayer } from "./content-layer.ts";
import { fetched } from "./fetched.ts";

/** Stores payloads outside their messages. */
export interface PayloadStore {
  /** Stores a payload; resolves to its key, a string of at most 1,024 characters. */
  put(payload: Uint8Array): Promise<string>;
  /**
   * Fetches a payload, or `undefined` if there is none. The key comes from a message, so do not trust it.
   *
   * @throws SobreError `LimitExceeded` if it is larger than `maxBytes`, before reading it into memory.
   */
  get(key: string, maxBytes: number): Promise<Uint8Array | undefined>;
}

/** Options of {@link claimCheck}. */
export interface ClaimCheckOptions {
  readonly store: PayloadStore;
  /** Payloads above this many bytes are stored. Default: 196,608, so that messages stay within 256 KiB. */
  readonly threshold?: number | undefined;
  /** Maximum size of a fetched payload in bytes. Default: 100 MiB. */
  readonly maxBytes?: number | undefined;
}

/** The content encoding of a payload that is a claim check. */
export const claimCheckEncoding = "claim-check";

/** The reference that the message carries instead. */
interface PayloadReference {
  readonly key: string;
  readonly size: number;
  readonly sha256: string;
  readonly bodyKind: BodyKind;
}

const maxClaimBytes = 4096;
const maxKeyLength = 1024;

const claimCheckChecks: OptionChecks<ClaimCheckOptions> = {
  store: is.methods("a store with the methods put and get", "put", "get"),
  threshold: is.numberFrom(0),
  maxBytes: is.numberFrom(1),
};

/**
 * A stage that puts large payloads into a store and sends their keys instead. It comes last, so that the final size
 * decides.
 *
 * A fetched payload is verified by length and SHA-256. Receiving fails with `PayloadNotFound` when the store no longer
 * has it, `LimitExceeded` beyond `maxBytes`, and `DecodeFailed` when it differs from what was stored. Requires Node's
 * crypto; does not run in browsers.
 *
 * @throws SobreError `InvalidArgument` naming the option.
 * @example
 * ```ts
 * const blobs = new Map<string, Uint8Array>();
 * const store = {
 *   put: async (payload: Uint8Array) => (blobs.set("blob-1", payload), "blob-1"),
 *   get: async (key: string) => blobs.get(key),
 * };
 * const large = createClient({ engine, serializer, stages: [claimCheck({ store })] });
 * await large.createSender("orders").sendMessages({ body: "x".repeat(1_000_000) });
 * console.log(blobs.size); // 1
 * ```
 */
export function claimCheck(options: ClaimCheckOptions): PayloadStage {
  checkOptions(options, claimCheckChecks, { needed: ["store"] });
  const { store, threshold = 196_608, maxBytes = 100 * 1024 * 1024 } = options;
  return guardedStage({
    name: "claim-check",
    async beforeSend(envelope) {
      const { payload, bodyKind } = envelope;
      if (payload.byteLength <= threshold) return envelope;
      const claim: PayloadReference = {
        key: await store.put(payload),
        size: payload.byteLength,
        sha256: digest(payload),
        bodyKind,
      };
      return amend(envelope, {
        payload: writeClaim(claim),
        bodyKind: "data",
        brokerProperties: { contentEncoding: withLayer(envelope, claimCheckEncoding) },
      });
    },
    async afterReceive(envelope) {
      const inner = withoutLayer(envelope, claimCheckEncoding);
      if (inner === undefined) return envelope;
      const claim = readClaim(envelope);
      if (claim.size > maxBytes) throw tooLarge(claim.size, maxBytes);
      const payload = await fetched("the payload of the claim check", () => store.get(claim.key, maxBytes));
      if (payload === undefined) {
        throw new SobreError(
          "PayloadNotFound",
          "The claim-check store does not have this payload (any more). Keep stored payloads for as long as their messages live.",
        );
      }
      if (payload.byteLength !== claim.size || digest(payload) !== claim.sha256) {
        throw new SobreError(
          "DecodeFailed",
          "The payload in the claim-check store differs from the one that was sent.",
        );
      }
      return amend(envelope, { payload, bodyKind: claim.bodyKind, brokerProperties: inner });
    },
  });
}

/** @throws SobreError `InvalidArgument` for an invalid key. */
function writeClaim(claim: PayloadReference): Uint8Array {
  const key: unknown = claim.key;
  const bytes = new TextEncoder().encode(JSON.stringify(claim));
  const isKey = typeof key === "string" && key !== "" && key.length <= maxKeyLength;
  if (isKey && bytes.byteLength <= maxClaimBytes) return bytes;
  throw invalidOption("store", `must return a key of 1 to ${maxKeyLength} characters from put`);
}

function readClaim({ payload }: Envelope): PayloadReference {
  try {
    if (payload.byteLength > maxClaimBytes) throw new RangeError("too long");
    const claim: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(payload));
    if (isClaim(claim)) return claim;
  } catch {
    // Reported below without the parser's message, which may quote the payload.
  }
  throw new SobreError("DecodeFailed", "The payload is not a claim check, although its content encoding says so.");
}

function isClaim(value: unknown): value is PayloadReference {
  if (typeof value !== "object" || value === null) return false;
  const { key, size, sha256, bodyKind }: Partial<Record<string, unknown>> = { ...value };
  const kinds: readonly unknown[] = ["data", "value", "sequence"];
  return (
    typeof key === "string" && Number.isSafeInteger(size) && typeof sha256 === "string" && kinds.includes(bodyKind)
  );
}

const digest = (payload: Uint8Array): string => createHash("sha256").update(payload).digest("base64");

/** The error of a stored payload that is larger than allowed. */
export function tooLarge(size: number, maxBytes: number): SobreError {
  return new SobreError(
    "LimitExceeded",
    `The stored payload has ${size} bytes, which exceeds maxBytes of the claim check, ${maxBytes}.`,
  );
}
