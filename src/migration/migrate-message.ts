import { hash } from "node:crypto";
import { amend, type Envelope } from "../core/envelope/envelope.ts";
import { SobreError } from "../core/errors/sobre-error.ts";
import { deadLetterProperties } from "../core/engine/delivery.ts";
import { type Failure, hexWindow, type JournalEntry } from "./journal-entry.ts";
import { SourceMessageReader, type ReadSourceMessage, type SourceReadRules } from "./read/read-message.ts";
import { settleShape, type SettledShape, settleValue } from "./infer/settled-shape.ts";
import type { SchemaCheck, SchemaChecks } from "./target/schema-check.ts";
import { TypeSamples } from "./report/sample.ts";
import type { SourceMessage } from "./read/source.ts";
import type { MigrationTarget, TypeTarget } from "./target/target.ts";
import type { Loss } from "./verify/compare-values.ts";
import { integersAreText, numbersAreText, type TargetRules } from "./target/target-rules.ts";
import { hasTokenWalk } from "./verify/scan-source.ts";
import { verifyMessage } from "./verify/verify-message.ts";
import type { TypeProfiles } from "./infer/type-profile.ts";

/** The application properties that record the origin of a migrated message. */
export const sourceProperties = {
  /** The codec that read it: `nbfx`. */
  codec: "sobre-source-codec",
  /** SHA-256 of the original payload, in hex. */
  sha256: "sobre-source-sha256",
  /** The type that the original payload named. */
  type: "sobre-source-type",
  /** The original content type, if any. */
  contentType: "sobre-source-content-type",
  /** Why it was a dead letter, if it was one. */
  deadLetterReason: "sobre-source-dead-letter-reason",
  /** The description that came with the reason. */
  deadLetterDescription: "sobre-source-dead-letter-description",
} as const;

/** The outcome of one message. */
export interface MigratedMessage {
  readonly entry: JournalEntry;
  /** The new envelope, unless it failed. */
  readonly envelope: Envelope | undefined;
}

/** Options of {@link MessageMigration}. */
export interface MessageMigrationOptions extends SourceReadRules {
  readonly target: MigrationTarget;
  readonly profiles: TypeProfiles;
  /** Whether failures include some bytes of the payload. */
  readonly hex: boolean;
  /** Whether a message of each type is shown before and after. */
  readonly samples: boolean;
  /** Checks messages against the schemas that are inferred from them. */
  readonly schemaChecks: SchemaChecks | undefined;
}

interface KnownType {
  readonly shape: SettledShape;
  readonly target: TypeTarget;
  /** Whether numbers at some path are written as text. */
  readonly numbersAreText: boolean;
  readonly check: SchemaCheck | undefined;
}

function hasNumbersAsText(settled: SettledShape, rules: TargetRules): boolean {
  const { shape, members, items, keys } = settled;
  if (rules.embedsJson && shape.unsafe > 0) return true;
  if (integersAreText(shape, rules) || numbersAreText(shape, rules)) return true;
  return [...members.values(), items, keys].some((inner) => inner !== undefined && hasNumbersAsText(inner, rules));
}

/** The second pass, message by message. */
export class MessageMigration {
  readonly #options: MessageMigrationOptions;
  readonly #reader: SourceMessageReader;
  readonly #types = new Map<string, KnownType>();
  readonly #samples: TypeSamples | undefined;

  constructor(options: MessageMigrationOptions) {
    this.#options = options;
    this.#samples = options.samples ? new TypeSamples() : undefined;
    this.#reader = new SourceMessageReader(options);
  }

  /** Reads, settles, encodes, decodes again and compares. */
  migrate(message: SourceMessage): MigratedMessage {
    const { id, order, content } = message;
    const sha256 = sourceHash(message);
    if (!content.ok) {
      const { error, bytes } = content;
      const failure = this.#failure("source", error, { payload: bytes, offset: error.offset });
      return failed({ id, order, sha256, bytes: bytes.byteLength }, failure);
    }
    const { envelope, delivery } = content;
    const { payload } = envelope;
    const { messageId: ownId } = envelope.brokerProperties;
    const messageId = ownId === undefined ? undefined : String(ownId);
    const head = { id, order, sequenceNumber: delivery?.sequenceNumber, messageId, sha256, bytes: payload.byteLength };
    const read = this.#reader.read(envelope);
    if (!read.ok) {
      const failure = this.#failure("read", read.error, { payload, offset: read.offset, codec: read.codec });
      return failed(head, failure);
    }
    const { codec, layers, typeName, warnings } = read;
    const about = { ...head, codec, layers, typeName, warnings };
    if (read.body === undefined) return this.#kept(about, envelope, undefined);
    let step: Failure["step"] = "write";
    try {
      const type = this.typeOf(typeName);
      if (type.shape.idle && staysAsItIs(read, payload, type.target))
        return this.#kept({ ...about, ...checked(type, read.body) }, envelope, type.target.contentType);
      // Settling changes the body.
      const before = this.#samples?.before(typeName, { payload, body: read.body });
      const body = settleValue(read.body, type.shape, read.guessing);
      const migrated = type.target.encode(body);
      step = "compare";
      const decoded = type.target.decode(migrated);
      const losses: Loss[] = [...type.target.compare(body, decoded, read.literal)];
      const { losses: refused, schemaChecked } = checked(type, decoded);
      if (losses.length === 0) {
        const { body: source, guessing } = read;
        const typed = guessing === "nothing";
        const paths = verifyMessage({
          payload,
          contentType: envelope.brokerProperties.contentType,
          layers,
          codec,
          typed,
          body: source,
          document: read.document,
          decoded: type.target.withoutAdditions(body, decoded),
          numbersAreText: type.numbersAreText,
        });
        losses.push(...paths.map((path) => ({ kind: "unverified", path }) as const));
      }
      const unproven = hasTokenWalk(codec) || this.#isWrittenBack(envelope, read) ? [] : [unprovenReading(codec)];
      return {
        entry: {
          ...about,
          warnings: [...warnings, ...unproven],
          schemaChecked,
          sample:
            before === undefined
              ? undefined
              : this.#samples?.take(typeName, before, { payload: migrated, body: decoded }),
          outcome: "migrated",
          losses: [...losses.map(({ kind, path }) => [kind, path] as const), ...refused],
          failure: undefined,
        },
        envelope: migratedEnvelope(envelope, migrated, { ...about, contentType: type.target.contentType }),
      };
    } catch (error) {
      const own = error instanceof SobreError ? error : undefined;
      if (own === undefined && !(error instanceof RangeError)) throw error;
      const problem =
        own ?? new SobreError("LimitExceeded", "The value is nested too deeply for this process.", { cause: error });
      return failed(about, this.#failure(step, problem, { payload, codec }));
    }
  }

  /** Whether the codec that read a payload writes the same bytes from the body, so that reading it lost nothing. */
  #isWrittenBack(
    { payload, applicationProperties, brokerProperties }: Envelope,
    { body, codec, layers }: ReadSourceMessage,
  ): boolean {
    const encoder = this.#options.serializer.registry.encoders.find(({ name }) => name === codec);
    if (encoder === undefined || layers.length > 0) return false;
    try {
      const { contentType } = this.#options.serializer.registry.select(brokerProperties.contentType, "data");
      return Buffer.compare(encoder.encode(body, { contentType, applicationProperties }).payload, payload) === 0;
    } catch {
      return false;
    }
  }

  /** The settled shape of a type, and its writer. */
  typeOf(name: string): KnownType {
    const known = this.#types.get(name);
    if (known !== undefined) return known;
    const { profiles, target } = this.#options;
    const profile = profiles.get(name);
    if (profile === undefined) {
      throw new SobreError(
        "UnsupportedValue",
        "The message arrived after the schema of its type was inferred. Run the migration again.",
      );
    }
    const shape = settleShape(profile.root);
    const made = {
      shape,
      target: target.forType(profile.name, shape),
      numbersAreText: hasNumbersAsText(shape, target.rules),
      check: this.#options.schemaChecks?.(profile.name, shape),
    };
    this.#types.set(name, made);
    return made;
  }

  #kept(about: About & Partial<MessageCheck>, envelope: Envelope, contentType: string | undefined): MigratedMessage {
    const { codec, sha256 } = about;
    return {
      entry: { losses: [], ...about, outcome: "kept", failure: undefined },
      envelope: amend(envelope, {
        brokerProperties: { contentType: keptContentType(envelope.brokerProperties.contentType, contentType) },
        applicationProperties: {
          ...withoutDeath(envelope),
          [sourceProperties.codec]: codec,
          [sourceProperties.sha256]: sha256,
        },
      }),
    };
  }

  #failure(
    step: Failure["step"],
    { code, message, path }: SobreError,
    {
      payload,
      offset,
      codec,
    }: { readonly payload: Uint8Array; readonly offset?: number | undefined; readonly codec?: string | undefined },
  ): Failure {
    // A failed write has a path, but no byte offset.
    const shown = this.#options.hex && (step === "source" || step === "read");
    return { step, code, message, codec, offset, path, hex: shown ? hexWindow(payload, offset) : undefined };
  }
}

type MessageCheck = Pick<JournalEntry, "losses" | "schemaChecked">;

/** Validates a message against the schema of its type. */
function checked({ check }: KnownType, body: unknown): MessageCheck {
  const refused = check?.(body) ?? [];
  return { losses: refused.map((path) => ["refused-by-schema", path] as const), schemaChecked: check !== undefined };
}

const unprovenReading = (codec: string): string =>
  `Only the ${codec} codec has read the payload: nothing here checks it against the tokens of the format, and the body is not written back as the same bytes.`;

/** Whether the payload is in the target format already: reading it as such gives the same body. */
function staysAsItIs({ body, codec, layers }: ReadSourceMessage, payload: Uint8Array, target: TypeTarget): boolean {
  // Only some readers accept JSON in UTF-16; and no existing payload uses the Protobuf schema inferred here.
  const isWide = payload[0] === 0 || payload[1] === 0;
  if (layers.length > 0 || isWide || !/^(?:json|msgpack)$/.test(codec) || !target.contentType.endsWith(codec))
    return false;
  try {
    return target.compare(body, target.decode(payload)).length === 0;
  } catch {
    return false;
  }
}

/** The declared content type if it names the format of the payload, since it may be more specific than ours. */
function keptContentType(declared: string | undefined, own: string | undefined): string | undefined {
  const format = own?.includes("json") === true ? /json/i : /msgpack/i;
  return declared !== undefined && (own === undefined || format.test(declared)) ? declared : own;
}

/** Maximum length of a recorded type name: those of generic collections could fill the properties. */
const maxTypeNameLength = 1024;

type Head = Pick<JournalEntry, "id" | "order" | "sequenceNumber" | "messageId" | "sha256" | "bytes">;
type About = Head & Pick<JournalEntry, "layers" | "warnings"> & { readonly codec: string; readonly typeName: string };

function failed(head: Head & Partial<About>, failure: Failure): MigratedMessage {
  const { codec = failure.codec, layers = [], warnings = [], typeName } = head;
  return {
    entry: { ...head, codec, layers, warnings, typeName, outcome: "failed", losses: [], failure },
    envelope: undefined,
  };
}

function migratedEnvelope(
  source: Envelope,
  payload: Uint8Array,
  about: About & { readonly contentType: string },
): Envelope {
  return amend(source, {
    payload,
    bodyKind: "data",
    brokerProperties: { contentType: about.contentType, contentEncoding: undefined },
    applicationProperties: {
      ...withoutDeath(source),
      [sourceProperties.codec]: [...about.layers, about.codec].join(" "),
      [sourceProperties.sha256]: about.sha256,
      [sourceProperties.type]: about.typeName.startsWith("(") ? undefined : about.typeName.slice(0, maxTypeNameLength),
      [sourceProperties.contentType]: source.brokerProperties.contentType,
    },
  });
}

/** Moves the dead-letter properties, which would be wrong for a migrated message, to properties that record its origin. */
function withoutDeath({ applicationProperties }: Envelope): Readonly<Record<string, string | undefined>> {
  const { reason, description } = deadLetterProperties;
  const { [reason]: why, [description]: what } = applicationProperties;
  if (why === undefined && what === undefined) return {};
  return {
    [reason]: undefined,
    [description]: undefined,
    [sourceProperties.deadLetterReason]: typeof why === "string" ? why : undefined,
    [sourceProperties.deadLetterDescription]: typeof what === "string" ? what : undefined,
  };
}

/** SHA-256 in hex of the payload of a source message, or of the unreadable entry in its place. */
export function sourceHash({ content }: Pick<SourceMessage, "content">): string {
  return hash("sha256", content.ok ? content.envelope.payload : content.bytes, "hex");
}
