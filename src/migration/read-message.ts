import { json } from "../../codecs/json/index.ts";
import {
  type Attempt,
  describeAttempt,
  isIdentityEncoding,
  looksLike,
  resolveDecodeLimits,
  type Serializer,
} from "../codec/index.ts";
import { amend, type Envelope } from "../envelope/index.ts";
import { SobreError } from "../errors/index.ts";
import { typeNameOf } from "../values/index.ts";
import { type Guessing, guessingOf } from "./value-kind.ts";

/** A body as the first step of a migration gives it. */
export interface ReadMessage {
  readonly ok: true;
  readonly body: unknown;
  /** Name of the codec that read the body. */
  readonly codec: string;
  /** What was around the body, outermost first: `gzip`, `bom`, `json-text`. */
  readonly layers: readonly string[];
  /** What the messages of one kind have in common. */
  readonly typeName: string;
  readonly warnings: readonly string[];
  /** What of the body the reader had to guess. */
  readonly guessing: Guessing;
}

/** A message that nothing could read. */
export interface UnreadMessage {
  readonly ok: false;
  readonly error: SobreError;
  /** The decoder that came furthest, and where it stopped. */
  readonly codec: string | undefined;
  readonly offset: number | undefined;
}

/** How {@link readMessage} reads. */
export interface ReadRules {
  readonly serializer: Serializer;
  /** Whether a body that is one string with a JSON object or list in it is opened. */
  readonly openJsonText: boolean;
}

/** Detects the format of a message and reads its body. */
export function readMessage(envelope: Envelope, { serializer, openJsonText }: ReadRules): ReadMessage | UnreadMessage {
  const result = serializer.deserialize(withoutEncoding(envelope));
  if (!result.ok) return unread(result.error, result.attempts, envelope.payload);
  const layers = result.attempts.filter(({ outcome }) => outcome === "unwrapped").map(({ codec }) => codec);
  const opened = openJsonText && typeof result.body === "string" ? openJson(result.body) : undefined;
  const { subject } = envelope.brokerProperties;
  if (opened !== undefined) {
    const typeName = subject ?? "(JSON)";
    return {
      ok: true,
      body: opened.body,
      codec: "json",
      layers: [...layers, result.codec],
      typeName,
      warnings: result.warnings,
      guessing: "nothing",
    };
  }
  const typeName =
    result.typeName ?? typeNameOf(result.body) ?? subject ?? (result.codec === "json" ? "(JSON)" : `(${result.codec})`);
  const warnings = result.warnings.filter((warning) => !warning.includes("may be a list of one"));
  // What lay inside of another format is not at hand, and may name types.
  const guessing = typeName.startsWith(scalarRoot)
    ? "nothing"
    : guessingOf(result.codec, layers.length === 0 ? envelope.payload : typedPayload);
  return { ok: true, body: result.body, codec: result.codec, layers, typeName, warnings, guessing };
}

/** The namespace in which a root names its scalar type, so that nothing is guessed. */
const scalarRoot = "{http://schemas.microsoft.com/2003/10/Serialization/}";

/** Stands for a payload that names types. */
const typedPayload = new TextEncoder().encode("i:type=\u0004type");

/** Compressed bodies show what they are by their first bytes, whatever the encoding is called. */
function withoutEncoding(envelope: Envelope): Envelope {
  const encoding = envelope.brokerProperties.contentEncoding;
  const known = encoding !== undefined && !isIdentityEncoding(encoding) && /^(?:x-)?(?:gzip|deflate)$/i.test(encoding);
  return known ? amend(envelope, { brokerProperties: { contentEncoding: undefined } }) : envelope;
}

const codec = json();
const context = {
  contentType: undefined,
  applicationProperties: {},
  bodyKind: "data",
  limits: resolveDecodeLimits(),
} as const;

/** The JSON that a string is, or `undefined` when it is none; scalars are left as the text they are. */
function openJson(text: string): { readonly body: unknown } | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined;
  try {
    const decoded = codec.decode(new TextEncoder().encode(text), context);
    return "body" in decoded ? decoded : undefined;
  } catch {
    return undefined;
  }
}

function unread(error: SobreError, attempts: readonly Attempt[], payload: Uint8Array): UnreadMessage {
  const failed = attempts.filter(({ outcome }) => outcome === "failed");
  const furthest = failed.toSorted((a, b) => (b.offset ?? -1) - (a.offset ?? -1))[0];
  const likeness = looksLike(payload);
  const look = likeness === undefined ? "" : `, which look like ${likeness.name}`;
  const tries = failed.map(describeAttempt).join(" | ") || "the first bytes rule every format out";
  const told =
    attempts.length === 0
      ? error
      : new SobreError(error.code, `Nothing could read the ${payload.byteLength} bytes${look}: ${tries}`);
  return { ok: false, error: told, codec: furthest?.codec, offset: furthest?.offset };
}
