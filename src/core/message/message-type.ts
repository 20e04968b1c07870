import type { Codec } from "../codec/codec.ts";
import type { Message } from "../codec/message.ts";
import type { PayloadStage } from "../codec/payload-stage.ts";
import type { BrokerPropertiesInit } from "../envelope/broker-properties.ts";
import type { EnvelopeInit } from "../envelope/envelope.ts";
import type { InputOf, MaybePromise, OutputOf, Schema } from "./schema.ts";
import type { TypeWire } from "./type-property.ts";

/**
 * The schemas of a message type by version; versions are integers from 0 up, where 0 stands for messages that name
 * none.
 */
export type SchemaVersions = { readonly [version: number]: Schema };

/** The greatest of the versions. */
export type LatestOf<V> = Greatest<VersionOf<V>>;

/** The versions as numbers. */
export type VersionOf<V> = keyof V & number;

/** Options of `defineMessage`, apart from the steps between versions. */
export interface MessageTypeOptions {
  /** Where the type and version are written. Default: `properties`. */
  readonly wire?: TypeWire | undefined;
  /**
   * Other names of the type, each with its version: a CloudEvents type, a subject, or a schema id of a registry, e.g.
   * `{ "com.acme.order.v1": 1, "5f1b…": 2 }`.
   */
  readonly aliases?: Readonly<Record<string, number>> | undefined;
  /** The content type of its messages, unless a message has its own; it selects the codec. Default: the client's. */
  readonly contentType?: string | undefined;
  /**
   * Writes the messages of this type, and reads those with a content type that it accepts, in place of the client's
   * serializer. Default: none.
   */
  readonly codec?: Codec | undefined;
  /**
   * The stages of its messages, in place of the client's. A reader selects them by the type that a message names.
   * Default: the client's.
   */
  readonly stages?: readonly PayloadStage[] | undefined;
}

/** A step from each version except the latest to the next one; it may be asynchronous. */
export type Upcasts<V> = {
  readonly [N in Exclude<VersionOf<V>, LatestOf<V>>]: (
    body: OutputOf<V[N]>,
  ) => MaybePromise<InputOf<V[Next<VersionOf<V>, N> & keyof V]>>;
};

/** A step from a version to the previous one, for readers still on that version; it may be asynchronous. */
export type Downcasts<V> = {
  readonly [N in VersionOf<V>]?: (
    body: OutputOf<V[N]>,
  ) => MaybePromise<InputOf<V[Previous<VersionOf<V>, N> & keyof V]>>;
};

/** Properties of a typed message besides its body. */
export type TypedMessageProperties = BrokerPropertiesInit & {
  readonly applicationProperties?: EnvelopeInit["applicationProperties"];
  /** The version to write, reached by the downcasts. Default: the latest. */
  readonly version?: number | undefined;
};

/** A message with a message type; senders validate it and write its type and version. */
export type TypedMessage<Body = unknown, Name extends string = string> = Message<Body> & {
  readonly messageType: MessageType<Name>;
  readonly messageVersion: number;
};

/** A message type and its versions; made by `defineMessage`. */
export interface MessageType<Name extends string = string, Input = unknown, Output = Input> {
  readonly name: Name;
  /** In ascending order. */
  readonly versions: readonly number[];
  readonly latestVersion: number;
  readonly wire: TypeWire;
  /** Its other names, each with its version. */
  readonly aliases: ReadonlyMap<string, number>;
  /** The content type of its messages, if it has one of its own. */
  readonly contentType?: string | undefined;
  /** The codec of its messages, if it has one of its own. */
  readonly codec?: Codec | undefined;
  /** The stages of its messages, if it has its own. */
  readonly stages?: readonly PayloadStage[] | undefined;
  /**
   * A message of this type, for `sendMessages`.
   *
   * @throws SobreError `UnknownMessageVersion` for a version that the type does not have.
   * @example
   * ```ts
   * const Order = defineMessage("acme.order", { 1: jsonSchema({ required: ["id"] }) });
   * await sender.sendMessages(Order.message({ id: 7 }, { subject: "order" }));
   * ```
   */
  message(body: Input, properties?: TypedMessageProperties): TypedMessage<Input, Name>;
  /**
   * The body in the latest version: validated in its own version, then upcast step by step and validated after each
   * step.
   *
   * @throws SobreError `UnknownMessageVersion`, `ValidationFailed` with the path, `UpcastFailed`.
   */
  read(body: unknown, version: number): MaybePromise<Output>;
  /**
   * The body to send as `version`: validated, then downcast step by step and validated after each step.
   *
   * @throws SobreError `UnknownMessageVersion`, `ValidationFailed` with the path, `UpcastFailed`.
   */
  write(body: Input, version?: number): MaybePromise<unknown>;
  /** The schema of a version, as given. */
  schemaOf(version: number): Schema | undefined;
}

/** The messages to send of message types; without types, any. */
export type MessageToSend<Types extends readonly MessageType[]> = Types extends readonly []
  ? Message
  : MessageToSendOf<Types[number]>;

type MessageToSendOf<Type extends MessageType> =
  Type extends MessageType<infer Name, infer Input> ? TypedMessage<Input, Name> : never;

/** The type of the body that handlers get. */
export type BodyOf<T> = T extends MessageType<string, infer _Input, infer Output> ? Output : never;

/** Whether A is less than B, both non-negative integers; compared by their digits, so the size does not matter. */
type IsLess<A extends number, B extends number> =
  Longer<`${A}`, `${B}`> extends infer Which
    ? Which extends "neither"
      ? IsLessText<`${A}`, `${B}`>
      : Which extends "second"
        ? true
        : false
    : never;

/** Which of two strings is longer. */
type Longer<A extends string, B extends string> = A extends `${string}${infer RestA}`
  ? B extends `${string}${infer RestB}`
    ? Longer<RestA, RestB>
    : "first"
  : B extends ""
    ? "neither"
    : "second";

/** Whether the first of two strings of equal length is less. */
type IsLessText<A extends string, B extends string> = A extends `${infer DigitA}${infer RestA}`
  ? B extends `${DigitA}${infer RestB}`
    ? IsLessText<RestA, RestB>
    : B extends `${infer DigitB}${string}`
      ? "0123456789" extends `${string}${DigitA}${string}${DigitB}${string}`
        ? true
        : false
      : false
  : false;

/** The members above N. */
type Above<V extends number, N extends number> = V extends unknown ? (IsLess<N, V> extends true ? V : never) : never;

/** The members below N. */
type Below<V extends number, N extends number> = V extends unknown ? (IsLess<V, N> extends true ? V : never) : never;

/** The member that has none above. */
type Greatest<V extends number, N extends number = V> = N extends unknown
  ? [Above<V, N>] extends [never]
    ? N
    : never
  : never;

/** The member that has none below. */
type Least<V extends number, N extends number = V> = N extends unknown
  ? [Below<V, N>] extends [never]
    ? N
    : never
  : never;

/** The least version above N. */
export type Next<V extends number, N extends number> = Least<Above<V, N>>;

/** The greatest version below N. */
export type Previous<V extends number, N extends number> = Greatest<Below<V, N>>;
