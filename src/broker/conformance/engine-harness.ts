import {
  checkOption,
  having,
  anObject,
  aFunction,
  listOf,
  anything,
  entityName,
  oneOf,
} from "../../core/options/option-checks.ts";
import type {
  AcceptSessionOptions,
  Engine,
  EngineReceiver,
  EngineSessionReceiver,
  ReceiveOptions,
} from "../../core/engine/engine.ts";
import type { Delivery, ReceiveMode, Settlement } from "../../core/engine/delivery.ts";
import type {
  QueueOptions,
  QueueRuntimeProperties,
  SubscriptionOptions,
  TopicOptions,
} from "../../core/engine/admin.ts";
import type { BrokerPropertiesInit } from "../../core/envelope/broker-properties.ts";
import { createEnvelope, type Envelope, type EnvelopeInit } from "../../core/envelope/envelope.ts";
import type { ErrorCode } from "../../core/errors/codes.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";

/** An engine opened for one case. */
export interface OpenedEngine {
  /** An engine without entities. */
  readonly engine: Engine;
  /** Lets this many milliseconds pass for the engine; on virtual time at once, on real time by waiting. */
  advance(milliseconds: number): Promise<void>;
  /** Cleans up; default: closes the engine. */
  close?(): Promise<void>;
}

/** Milliseconds of a minute, which is the default of a lock. */
export const minute = 60_000;

/** Options of a session entity. */
export const sessions = { requiresSession: true } as const;

/** More messages than any case sends. */
const endless = 10_000;

/** The tools of a case: a fresh engine, its time, and short forms of the everyday operations. */
export class EngineHarness {
  readonly engine: Engine;
  readonly #opened: OpenedEngine;
  readonly #patience: number;
  readonly #receivers = new Map<string, EngineReceiver>();
  #names = 0;

  constructor(opened: OpenedEngine, patienceInMs: number) {
    checkOption("opened", opened, having("an opened engine", { engine: anObject, advance: aFunction }));
    this.engine = opened.engine;
    this.#opened = opened;
    this.#patience = patienceInMs;
  }

  /** Lets time pass. */
  async advance(milliseconds: number): Promise<void> {
    await this.#opened.advance(milliseconds);
  }

  /** A name that no entity has yet. */
  freshName(): string {
    return `entity-${++this.#names}`;
  }

  /** Creates a queue and returns its name. */
  async queue(options?: QueueOptions): Promise<string> {
    const name = this.freshName();
    await this.engine.admin.createQueue(name, options);
    return name;
  }

  /** Creates a queue, sends these messages to it, and returns its name. */
  async queueWith(messages: readonly (string | Envelope)[], options?: QueueOptions): Promise<string> {
    checkOption("messages", messages, listOf("messages", anything));
    const queue = await this.queue(options);
    await this.send(queue, ...messages);
    return queue;
  }

  /** Creates a queue, sends one message to it and receives it. */
  async received(message: string | Envelope, options?: QueueOptions): Promise<readonly [string, Delivery]> {
    const queue = await this.queueWith([message], options);
    return [queue, await this.one(queue)];
  }

  /** Creates a topic with subscriptions of these options and returns its name. */
  async topic(subscriptions: Readonly<Record<string, SubscriptionOptions>>, options?: TopicOptions): Promise<string> {
    checkOption("subscriptions", subscriptions, anObject);
    const name = this.freshName();
    await this.engine.admin.createTopic(name, options);
    for (const [subscription, setup] of Object.entries(subscriptions))
      await this.engine.admin.createSubscription(name, subscription, setup);
    return name;
  }

  /** Accepts a session, the next available one without an id. */
  async session(
    entity: string,
    sessionId?: string,
    options: Partial<AcceptSessionOptions> = {},
  ): Promise<EngineSessionReceiver> {
    const defaults = { receiveMode: "peekLock", maxWaitTimeInMs: this.#patience, sessionId } as const;
    return this.engine.acceptSession(entity, { ...defaults, ...options });
  }

  /** Sends messages in one call: envelopes, or message ids whose text is the payload too. */
  async send(entity: string, ...messages: readonly (string | Envelope)[]): Promise<void> {
    const sender = await this.engine.openSender(entity);
    await sender.send(messages.map((message) => (typeof message === "string" ? envelope(message) : message)));
    await sender.close();
  }

  /** Receives what is there, at most `maxMessages`. */
  async receive(entity: string, maxMessages = 1, receiveMode: ReceiveMode = "peekLock"): Promise<readonly Delivery[]> {
    const receiver = await this.receiver(entity, receiveMode);
    return receiver.receive({ maxMessages, maxWaitTimeInMs: this.#patience });
  }

  /** The receiver that this harness uses for an entity, opened on first use. */
  async receiver(entity: string, receiveMode: ReceiveMode = "peekLock"): Promise<EngineReceiver> {
    checkOption("entity", entity, entityName);
    checkOption("receiveMode", receiveMode, oneOf("peekLock", "receiveAndDelete"));
    const key = `${receiveMode} ${entity}`;
    const receiver = this.#receivers.get(key) ?? (await this.engine.openReceiver(entity, { receiveMode }));
    this.#receivers.set(key, receiver);
    return receiver;
  }

  /** Receives the one message that must be there. */
  async one(entity: string): Promise<Delivery> {
    const [delivery] = await this.receive(entity);
    if (delivery === undefined)
      throw new SobreError("MessageNotFound", `Nothing was delivered from ${entity}, and one message was due.`);
    return delivery;
  }

  /** Settles a delivery. */
  async settle(entity: string, delivery: Delivery, settlement: Settlement): Promise<void> {
    await this.engine.settle(entity, tokenOf(delivery), settlement);
  }

  async complete(entity: string, delivery: Delivery): Promise<void> {
    await this.settle(entity, delivery, { kind: "complete" });
  }

  async abandon(entity: string, delivery: Delivery): Promise<void> {
    await this.settle(entity, delivery, { kind: "abandon" });
  }

  /** Takes everything that is ready off an entity and returns the message ids in order of delivery. */
  async drain(entity: string): Promise<readonly unknown[]> {
    const taken: unknown[] = [];
    while (taken.length < endless) {
      const deliveries = await this.receive(entity, 100, "receiveAndDelete");
      if (deliveries.length === 0) return taken;
      taken.push(...idsOf(deliveries));
    }
    throw new Error(`${entity} delivers without end.`);
  }

  /** The message ids that browsing shows. */
  async browse(entity: string): Promise<readonly unknown[]> {
    return idsOf(await this.engine.peek(entity, { maxMessages: 1000 }));
  }

  /** The engine's time, read from a message that is enqueued now. */
  async now(): Promise<Date> {
    const queue = await this.queue();
    await this.send(queue, "now");
    return (await this.one(queue)).enqueuedTimeUtc;
  }

  async counts(queue: string): Promise<QueueRuntimeProperties> {
    return this.engine.admin.getQueueRuntimeProperties(queue);
  }
}

/** A message whose payload is its id in UTF-8. */
export function envelope(
  messageId: string,
  properties: Omit<BrokerPropertiesInit, "messageId"> | object = {},
  rest: Omit<EnvelopeInit, "payload" | "brokerProperties"> = {},
): Envelope {
  return createEnvelope({
    payload: new TextEncoder().encode(messageId),
    ...rest,
    brokerProperties: { messageId, ...properties },
  });
}

/** Options of a receive that does not wait. */
export const atOnce = (maxMessages = 1): ReceiveOptions => ({ maxMessages, maxWaitTimeInMs: 0 });

/** A message of a session. */
export const inSession = (sessionId: string, messageId: string): Envelope => envelope(messageId, { sessionId });

/** A time so many milliseconds after another. */
export const after = (time: Date | undefined, milliseconds: number): Date =>
  new Date((time?.getTime() ?? 0) + milliseconds);

/** The value, which must be there. */
export function present<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`${what} is missing.`);
  return value;
}

/** The message ids of deliveries, in their order. */
export const idsOf = (deliveries: readonly Delivery[]): readonly unknown[] =>
  deliveries.map((delivery) => delivery.envelope.brokerProperties.messageId);

/** The delivery counts of deliveries, in their order. */
export const countsOf = (deliveries: readonly Delivery[]): readonly number[] =>
  deliveries.map(({ deliveryCount }) => deliveryCount);

/** Calls a method as a caller without types can; one that throws at once rejects. */
export const call = (target: object, method: string, ...given: readonly unknown[]): Promise<unknown> =>
  new Promise((resolve) => resolve(Reflect.apply(Reflect.get(target, method), target, given)));

/** The lock token that a delivery must have. */
export function tokenOf(delivery: Delivery): NonNullable<Delivery["lockToken"]> {
  checkOption("delivery", delivery, anObject);
  if (delivery.lockToken === undefined) throw new SobreError("InvalidArgument", "The delivery has no lock token.");
  return delivery.lockToken;
}

/** Fails unless the two have the same JSON-like form; bigints, bytes and Dates included. */
export function same(actual: unknown, expected: unknown, what: string): void {
  const [left, right] = [render(actual), render(expected)];
  if (left !== right) throw new Error(`${what}: ${left}, and ${right} was due.`);
}

/** Fails unless the promise rejects with a SobreError of the code. */
export async function refused(promise: Promise<unknown>, code: ErrorCode, what: string): Promise<SobreError> {
  const outcome = await promise.then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  if (outcome === undefined) throw new Error(`${what} was not refused, and ${code} was due.`);
  const { error } = outcome;
  if (!(error instanceof SobreError)) throw new Error(`${what} was refused without a SobreError.`, { cause: error });
  if (error.code !== code)
    throw new Error(`${what} was refused with ${error.code}, and ${code} was due.`, { cause: error });
  return error;
}

/** Whether the order of its members means nothing. */
const isBag = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Map);

function render(value: unknown): string {
  return (
    JSON.stringify(value, (_key, member: unknown) => {
      if (typeof member === "bigint") return `${member}n`;
      if (member instanceof Uint8Array) return `bytes ${[...member].join(" ")}`;
      if (typeof member === "number" && !Number.isFinite(member)) return String(member);
      if (isBag(member)) return Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)));
      return member;
    }) ?? "undefined"
  );
}
