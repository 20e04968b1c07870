import type { ContentType } from "../content-type/content-type.ts";
import { SobreError } from "../errors/sobre-error.ts";
import { type Attempt, attemptText } from "./attempt.ts";
import type { Decoded } from "./codec.ts";
import { likenessOf } from "./looks-like.ts";
import type { Selection } from "./registry.ts";

/** A decoded body, and how it was read. */
export interface ReadResult<Body = unknown> {
  readonly ok: true;
  readonly body: Body;
  /** The name of the decoder; `empty` for zero bytes of an unknown type, `raw` for bytes handed over undecoded. */
  readonly codec: string;
  /** The declared content type, or `undefined` if it is missing or invalid. */
  readonly contentType: ContentType | undefined;
  /** The type that the payload names or was read as. */
  readonly typeName: string | undefined;
  /** All attempts in order; the last one read the body. */
  readonly attempts: readonly Attempt[];
  /** The decoders of the wrapping formats around the body, e.g. `gzip`, outermost first. */
  readonly layers: readonly string[];
  /** Tolerated flaws and lost details, one sentence each. */
  readonly warnings: readonly string[];
}

/** A payload that no decoder was able or allowed to read. */
export interface UnreadableResult {
  readonly ok: false;
  /**
   * `Unreadable` if decoders tried and failed; otherwise the reason why none tried. Its message is suitable for a dead
   * letter.
   */
  readonly error: SobreError;
  readonly attempts: readonly Attempt[];
}

/** The outcome of a deserialization. */
export type DeserializeResult<Body = unknown> = ReadResult<Body> | UnreadableResult;

export function readable(
  decoded: Decoded,
  codec: string,
  selection: Selection,
  { attempts, layers }: Pick<ReadResult, "attempts" | "layers">,
): ReadResult {
  const { warnings = noResultWarnings, typeName } = decoded;
  return {
    ok: true,
    body: decoded.body,
    codec,
    contentType: selection.contentType,
    typeName,
    attempts,
    layers,
    warnings: selection.warnings.length === 0 ? warnings : [...selection.warnings, ...warnings],
  };
}

const noResultWarnings: readonly string[] = Object.freeze([]);

/** `problem` is the reason if no decoder was selected. */
export function unreadable(
  problem: SobreError | undefined,
  attempts: readonly Attempt[],
  payload: Uint8Array,
): UnreadableResult {
  const likeness = likenessOf(payload);
  const [bytes, verb] = payload.byteLength === 1 ? ["byte", "looks"] : [`${payload.byteLength} bytes`, "look"];
  const look = likeness && `${verb} like ${likeness.name} (${likeness.contentType})`;
  const tries = attempts.map(attemptText).join(" | ");
  if (tries !== "") {
    const text = `No codec could read the ${bytes}${look ? `, which ${look}` : ""}: ${tries}`;
    const message = problem === undefined ? text : `${problem.message} ${text}`;
    return { ok: false, error: new SobreError("Unreadable", message, { cause: problem }), attempts };
  }
  const message = `${problem?.message ?? "No decoder was allowed to try."}${look ? ` The ${bytes} ${look}.` : ""}`;
  return { ok: false, error: new SobreError(problem?.code ?? "Unreadable", message, { cause: problem }), attempts };
}
