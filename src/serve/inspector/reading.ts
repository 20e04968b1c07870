import { unstaged } from "../../client/client/staging.ts";
import type { Attempt } from "../../core/codec/attempt.ts";
import type { PayloadStage } from "../../core/codec/payload-stage.ts";
import type { DeserializeResult } from "../../core/codec/result.ts";
import type { Serializer } from "../../core/codec/serializer.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import type { MessageType } from "../../core/message/message-type.ts";
import { readTypeClaim } from "../../core/message/type-property.ts";
import { parseContentType, type ContentType } from "../../core/content-type/content-type.ts";
import type { Json } from "../../core/values/json.ts";
import { valueToJson } from "../../core/values/value-json.ts";
import type { AttemptFact, ChainVerdict, VersionVerdict } from "./api.ts";
import type { Redaction } from "./redaction.ts";

/** How messages are read: as the services do that the inspector is for. */
export interface ReadingOptions {
  readonly serializer: Serializer;
  readonly stages: readonly PayloadStage[];
  readonly messageTypes: readonly MessageType[];
  readonly redaction: Redaction;
}

/** A message as the chain reads it. */
export interface Read {
  /** The envelope without its stages; the received one where a stage fails. */
  readonly bare: Envelope;
  readonly result: DeserializeResult;
  /** The body as JSON; `undefined` when it is empty, was not read, or cannot be shown. */
  readonly body: Json | undefined;
  /** Why a body that was read cannot be shown. */
  readonly unshown: SobreError | undefined;
}

/** Reads messages with the stages, the chain and the message types. */
export class InspectorReading {
  readonly #options: ReadingOptions;

  constructor(options: ReadingOptions) {
    this.#options = options;
  }

  /** Never rejects because of the message's content. */
  async read(envelope: Envelope): Promise<Read> {
    const { serializer, stages, redaction } = this.#options;
    let bare = envelope;
    try {
      if (stages.length > 0) bare = await unstaged(stages, envelope);
    } catch (error) {
      const failure = SobreError.from(error, "DecodeFailed", "A stage failed on this payload");
      return {
        bare: envelope,
        result: { ok: false, error: failure, attempts: [] },
        body: undefined,
        unshown: undefined,
      };
    }
    const result = serializer.deserialize(bare);
    if (!result.ok || result.body === undefined) return { bare, result, body: undefined, unshown: undefined };
    try {
      return { bare, result, body: redaction.value(valueToJson(result.body)), unshown: undefined };
    } catch (error) {
      const unshown = SobreError.from(error, "UnsupportedValue", "The body cannot be shown as JSON");
      return { bare, result, body: undefined, unshown };
    }
  }

  /** @param showsBody Whether the body is part of it. */
  verdict({ result, body, unshown }: Read, showsBody: boolean): ChainVerdict {
    const error = result.ok ? unshown : result.error;
    return {
      ok: result.ok,
      codec: result.ok ? result.codec : null,
      typeName: result.ok ? (result.typeName ?? null) : null,
      warnings: result.ok ? result.warnings : [],
      error: error === undefined ? null : { code: error.code, message: error.message },
      attempts: result.attempts.map(attemptFact),
      ...(showsBody && body !== undefined && { body }),
    };
  }

  /** Which versions of the message's type read its body; of every type when it names none. */
  async versions({ bare, result }: Read): Promise<readonly VersionVerdict[]> {
    const { messageTypes } = this.#options;
    if (!result.ok || messageTypes.length === 0) return [];
    const claim = readTypeClaim(bare, contentTypeOf(bare));
    const names = new Set(claim.declared === undefined ? claim.implied : [claim.declared]);
    const named = messageTypes.filter(({ name, aliases }) => [name, ...aliases.keys()].some((one) => names.has(one)));
    const verdicts: VersionVerdict[] = [];
    for (const type of named.length === 0 ? messageTypes : named) {
      for (const version of type.versions) {
        const why = await refusalBy(type, result.body, version);
        const declared = names.has(type.name) && claim.version === version;
        verdicts.push({ type: type.name, version, declared, reads: why === "", why });
      }
    }
    return verdicts;
  }
}

/** Why a version does not read a body; empty when it does. */
async function refusalBy(type: MessageType, body: unknown, version: number): Promise<string> {
  try {
    await type.read(body, version);
    return "";
  } catch (error) {
    return SobreError.from(error, "ValidationFailed", "The schema threw on this body").message;
  }
}

const attemptFact = ({ codec, outcome, code, offset, message }: Attempt): AttemptFact => ({
  codec,
  outcome,
  code: code ?? null,
  offset: offset ?? null,
  message: message ?? null,
});

/** `undefined` for a missing or invalid one. */
export function contentTypeOf({ brokerProperties: { contentType } }: Envelope): ContentType | undefined {
  try {
    return contentType === undefined ? undefined : parseContentType(contentType);
  } catch {
    return undefined;
  }
}
