import { messageProperties } from "../../core/message/message-properties.ts";
import { guardedStage } from "../../core/codec/guarded-stage.ts";
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { PayloadStage } from "../../core/codec/payload-stage.ts";
import { amend, type BodyKind, type Envelope } from "../../core/envelope/envelope.ts";
import type { BrokerProperties } from "../../core/envelope/broker-properties.ts";
import { Typed } from "../../core/values/typed.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { checkOptions, invalidOption, type OptionChecks } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";
import { encodingsOf, withLayer, withoutLayer } from "./content-layer.ts";
import { fetched } from "./fetched.ts";

/** Keys by id: an object, or a function, possibly async, that returns `undefined` for unknown ids. */
export type EncryptionKeys =
  | Readonly<Record<string, Uint8Array>>
  | ((keyId: string) => Uint8Array | undefined | Promise<Uint8Array | undefined>);

/** Options of {@link encryption}. */
export interface EncryptionOptions {
  /** AES-256 keys of 32 bytes. */
  readonly keys: EncryptionKeys;
  /** The id of the key for sending. Default: messages are sent unencrypted, for clients that only receive. */
  readonly keyId?: string | undefined;
  /** Whether to refuse received payloads that are not encrypted. Default: true. */
  readonly required?: boolean | undefined;
  /**
   * Broker properties, besides the content type, that the ciphertext is bound to; not any that change in transit. With
   * `messageId`, every message needs an id and keeps it when re-driven. Include `subject` if only that identifies the
   * message type.
   */
  readonly bind?: readonly (keyof BrokerProperties)[] | undefined;
}

/** The content encoding of encrypted payloads. */
export const encryptedEncoding = "aes-256-gcm";

const nonceBytes = 12;
const tagBytes = 16;

/**
 * A stage that encrypts payloads with AES-256-GCM (NIST SP 800-38D) as nonce, ciphertext and tag, in this order.
 *
 * The ciphertext is bound to the key id, content type, content encoding, body kind, message type and version, and the
 * properties in `bind`. Nonces are random, so use a key for at most about 2^32 messages. It comes after compression.
 * Receiving fails with `DecryptionFailed`, `UnknownKey` or `PlaintextRefused`. Requires Node's crypto; does not run in
 * browsers.
 *
 * @throws SobreError `InvalidArgument` naming the option.
 * @example
 * ```ts
 * const keys = { "key-2026": crypto.getRandomValues(new Uint8Array(32)) };
 * const secret = createClient({ engine, serializer, stages: [encryption({ keys, keyId: "key-2026" })] });
 * await secret.createSender("orders").sendMessages({ body: "for your eyes only" });
 * ```
 */
export function encryption(options: EncryptionOptions): PayloadStage {
  checkOptions(options, encryptionChecks, { needed: ["keys"] });
  const { keys, keyId, required = true, bind = [] } = options;
  if (keyId !== undefined && typeof keys !== "function" && !Object.hasOwn(keys, keyId))
    throw invalidOption("keyId", "must be one of the ids of keys");
  return guardedStage({
    name: "encryption",
    async beforeSend(envelope) {
      if (keyId === undefined) return envelope;
      if (bind.includes("messageId") && envelope.brokerProperties.messageId === undefined) {
        throw invalidOption(
          "bind",
          "names messageId, but the message has none. Set one before sending, since a broker may add its own",
        );
      }
      const key = await keyFor(keys, keyId);
      const { bodyKind } = envelope;
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv("aes-256-gcm", key, nonce);
      cipher.setAAD(boundMetadata(envelope, { keyId, bodyKind, bind }));
      const payload = Buffer.concat([nonce, cipher.update(envelope.payload), cipher.final(), cipher.getAuthTag()]);
      return amend(envelope, {
        payload: new Uint8Array(payload.buffer, payload.byteOffset, payload.byteLength),
        // Ciphertext would not be a valid AMQP value or sequence.
        bodyKind: "data",
        brokerProperties: { contentEncoding: withLayer(envelope, encryptedEncoding) },
        applicationProperties: {
          [messageProperties.keyId]: keyId,
          [messageProperties.bodyKind]: bodyKind === "data" ? undefined : bodyKind,
        },
      });
    },
    async afterReceive(envelope) {
      const inner = withoutLayer(envelope, encryptedEncoding);
      if (inner === undefined) {
        if (!required) return envelope;
        throw new SobreError(
          "PlaintextRefused",
          "The payload is not encrypted, but encryption is required here. Set required: false to accept unencrypted messages.",
        );
      }
      const { payload, applicationProperties } = envelope;
      const id = applicationProperties[messageProperties.keyId];
      const key = await keyFor(keys, typeof id === "string" ? id : "");
      const bodyKind = bodyKindOf(applicationProperties[messageProperties.bodyKind]);
      const bare = amend(envelope, {
        brokerProperties: inner,
        applicationProperties: { [messageProperties.keyId]: undefined, [messageProperties.bodyKind]: undefined },
      });
      const plain = open(payload, key, boundMetadata(bare, { keyId: String(id), bodyKind, bind }));
      return amend(bare, { payload: plain, bodyKind });
    },
  });
}

function open(payload: Uint8Array, key: Uint8Array, metadata: Uint8Array): Uint8Array {
  if (payload.byteLength < nonceBytes + tagBytes) throw tampered();
  const decipher = createDecipheriv("aes-256-gcm", key, payload.subarray(0, nonceBytes), { authTagLength: tagBytes });
  decipher.setAAD(metadata);
  decipher.setAuthTag(payload.subarray(payload.byteLength - tagBytes));
  try {
    const opened = decipher.update(payload.subarray(nonceBytes, payload.byteLength - tagBytes));
    decipher.final();
    return new Uint8Array(opened.buffer, opened.byteOffset, opened.byteLength);
  } catch (error) {
    throw tampered(error);
  }
}

function tampered(cause?: unknown): SobreError {
  return new SobreError(
    "DecryptionFailed",
    "The ciphertext or a property that it is bound to was changed, or the sender used another key with the same id.",
    { cause },
  );
}

interface Binding {
  readonly keyId: string;
  readonly bodyKind: BodyKind;
  readonly bind: readonly (keyof BrokerProperties)[];
}

/** The data that the tag authenticates, as one unambiguous text. */
function boundMetadata(
  { brokerProperties, applicationProperties }: Envelope,
  { keyId, bodyKind, bind }: Binding,
): Uint8Array {
  const { contentType, contentEncoding } = brokerProperties;
  const type = [applicationProperties[messageProperties.type], applicationProperties[messageProperties.version]];
  const own = bind.map((property) => [property, canonical(brokerProperties[property])]);
  // Brokers and stages may reformat the list of encodings, so its items are compared.
  const encodings = encodingsOf(contentEncoding).join(", ") || undefined;
  const parts = [encryptedEncoding, 1, keyId, contentType, encodings, bodyKind, ...type.map(canonical), own];
  return Buffer.from(JSON.stringify(parts.map((part) => part ?? null)));
}

/** Integers of different AMQP types count as equal. */
function canonical(value: unknown): string | null {
  if (value instanceof Typed) return canonical(value.value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (value instanceof Date) return String(value.getTime());
  return typeof value === "string" || typeof value === "number" || typeof value === "bigint" ? String(value) : null;
}

function bodyKindOf(value: unknown): BodyKind {
  return value === "value" || value === "sequence" ? value : "data";
}

async function keyFor(keys: EncryptionKeys, keyId: string): Promise<Uint8Array> {
  const key =
    typeof keys === "function" ? await fetched("the encryption keys", () => keys(keyId)) : ownKey(keys, keyId);
  if (key === undefined) {
    throw new SobreError(
      "UnknownKey",
      `Unknown key ${JSON.stringify(keyId.slice(0, 64))}. Add it to the keys of the encryption stage.`,
    );
  }
  return requireKey(key, keyId);
}

function ownKey(keys: Readonly<Record<string, Uint8Array>>, keyId: string): Uint8Array | undefined {
  return Object.hasOwn(keys, keyId) ? keys[keyId] : undefined;
}

function requireKey(key: unknown, keyId: string): Uint8Array {
  if (key instanceof Uint8Array && key.byteLength === 32) return key;
  throw invalidOption(`keys[${JSON.stringify(keyId)}]`, "must be 32 bytes");
}

/** The broker properties that can be bound. */
const bindable: Readonly<Record<Exclude<keyof BrokerProperties, "contentType" | "contentEncoding">, true>> = {
  correlationId: true,
  messageId: true,
  partitionKey: true,
  viaPartitionKey: true,
  replyTo: true,
  replyToSessionId: true,
  scheduledEnqueueTimeUtc: true,
  sessionId: true,
  subject: true,
  timeToLive: true,
  to: true,
};

const isKeys: is.OptionCheck = (value) => {
  if (typeof value === "function") return undefined;
  if (typeof value !== "object" || value === null) return "must be an object with a key for each id, or a function";
  for (const [id, key] of Object.entries(value)) requireKey(key, id);
  return undefined;
};

const isBinding: is.OptionCheck = (value) => {
  // A misspelt name would silently bind nothing.
  const isKnown = Array.isArray(value) && value.every((one) => typeof one === "string" && Object.hasOwn(bindable, one));
  return isKnown ? undefined : `must be an array of these broker properties: ${Object.keys(bindable).join(", ")}`;
};

const encryptionChecks: OptionChecks<EncryptionOptions> = {
  keys: isKeys,
  keyId: is.name,
  required: is.flag,
  bind: isBinding,
};
