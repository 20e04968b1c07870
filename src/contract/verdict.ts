/**
 * The verdict on two versions. `tested`: an upcaster turned every sample into a valid value, which is less than a proof.
 * `unproven` must never be shown as compatible.
 */
export type Verdict = "breaking" | "unproven" | "tested" | "safe";

/** A finding: its place and text. */
export interface Finding {
  /** Short name of the kind of change, e.g. `member-required`. */
  readonly code: string;
  /** One sentence. */
  readonly message: string;
  /** How to fix it. */
  readonly repair: string;
  /** JSON Pointer, e.g. `#/properties/a`, or a full Protobuf name; "" when the place is not known. */
  readonly olderPointer: string;
  readonly newerPointer: string;
  /** Which version sends what the other one reads. */
  readonly writer: "older" | "newer";
  /** Where in the witness. */
  readonly instancePointer: string;
  /** A warning does not make the verdict breaking. */
  readonly severity: "error" | "warning";
  /**
   * SHA-256 in hex, which waivers name and other findings do not change. Of a JSON Schema: of the way to the keyword, the kind of
   * the break and the values of both versions. Otherwise of the witness, or of code and message where there is no witness.
   */
  readonly hash: string;
  /** Present for every breaking finding, except those of rules about names and numbers. */
  readonly witness?: Witness;
}

/** A concrete message that one version writes and the other refuses or changes. */
export interface Witness {
  /** The value, as JSON or in the renderings of the value JSON form. */
  readonly value: unknown;
  readonly encodings: readonly WitnessEncoding[];
  /** The reader's refusal, or the value it reads instead. */
  readonly outcome: string;
  /** The hash of the finding. */
  readonly hash: string;
}

/** A witness as the bytes of one codec. */
export interface WitnessEncoding {
  readonly codec: string;
  readonly contentType: string;
  readonly payload: Uint8Array;
}

/** The verdict for one codec. */
export interface CodecRow {
  readonly codec: string;
  readonly verdict: Verdict;
  readonly reason: string;
}

/** Result of {@link checkCompatibility}. */
export interface CompatibilityResult {
  readonly verdict: Verdict;
  readonly findings: readonly Finding[];
  /** The verdict on a breaking pair if every listed break were fixed. */
  readonly rest?: Verdict;
  /** Steps of the proof when the verdict is safe, one line each, in outline. */
  readonly trace?: readonly string[];
  /** The attempts made, when the verdict is unproven or tested. */
  readonly tried?: readonly string[];
  /** Assumptions of the verdict, e.g. the policy for formats. */
  readonly assumptions: readonly string[];
  readonly rows: readonly CodecRow[];
}

/** The worst of several verdicts. */
export function worst(verdicts: readonly Verdict[]): Verdict {
  const order: readonly Verdict[] = ["breaking", "unproven", "tested"];
  return order.find((verdict) => verdicts.includes(verdict)) ?? "safe";
}
