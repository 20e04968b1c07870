import type { Client } from "../client/client-interface.ts";
import { type ClientOptions, createClient } from "../client/client.ts";
import { createMessageReader, type MessageResult } from "../client/message-reader.ts";
import { isHold } from "../client/session-hold.ts";
import type { Delivery } from "../../core/engine/delivery.ts";
import type { Engine } from "../../core/engine/engine.ts";
import { peekPages } from "../../core/engine/peek-pages.ts";
import type { MemoryEngineOptions } from "../../broker/memory/memory-engine.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import type { BodyOf, MessageType } from "../../core/message/message-type.ts";
import { checkOptions, type OptionChecks } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";
import { durationFrom } from "../../core/options/duration-option.ts";
import { type DurationLike, toMilliseconds } from "../../core/time/duration.ts";
import type { SentMessage } from "./sent-messages.ts";
import { testEngine, type TestEngine } from "./test-engine.ts";

/** Options of {@link createTestHarness}: those of the broker and of the client. */
export interface TestHarnessOptions
  extends
    Omit<MemoryEngineOptions, "clock">,
    Pick<ClientOptions, "serializer" | "stages" | "retryOptions" | "tracing"> {}

/** Which published messages to list. */
export interface PublishedOptions<Type extends MessageType = MessageType> {
  /** Only those sent to this queue or topic, its name compared without case. Default: all. */
  readonly entity?: string | undefined;
  /** Only those of this type, validated and upgraded to its latest version. Default: all, as they are read. */
  readonly messageType?: Type | undefined;
}

/** A message that was sent, and how it is read. */
export interface PublishedMessage<Body = unknown> extends SentMessage {
  /** The decoded payload; `undefined` if it could not be read, for the reason in `result`. */
  readonly body: Body;
  readonly result: MessageResult;
}

/** Options of {@link TestHarness.idle}. */
export interface IdleOptions {
  /** Virtual milliseconds to wait at most. Default: 3,600,000, one hour. */
  readonly maxWaitTimeInMs?: number | undefined;
  /** Virtual time by which the clock is advanced at a time, at least 1 ms. Default: 1 second. */
  readonly step?: DurationLike | undefined;
}

/** A client over a complete broker in memory on virtual time, which a test can ask what happened. */
export interface TestHarness extends TestEngine, AsyncDisposable {
  readonly client: Client;
  /**
   * The messages that were sent, oldest first, whatever became of them.
   *
   * @throws SobreError the error of a message of `messageType` that is not valid.
   */
  published<Type extends MessageType = MessageType>(
    options?: PublishedOptions<Type>,
  ): Promise<readonly PublishedMessage<BodyOf<Type>>[]>;
  /**
   * Advances the clock until no handler runs, and no message is available, locked or scheduled in the entities that
   * something receives from: handlers have run, with their retries and pauses. Deferred messages and dead letters may be
   * left, and sessions held by `holdSession`.
   *
   * @throws SobreError `ServiceTimeout` with the entities that have messages left when the time is over.
   */
  idle(options?: IdleOptions): Promise<void>;
  /** Closes client and engine. */
  close(): Promise<void>;
}

const idleChecks: OptionChecks<IdleOptions> = { maxWaitTimeInMs: is.milliseconds, step: durationFrom(1) };

const publishedChecks: OptionChecks<PublishedOptions> = {
  entity: is.entityName,
  messageType: (value) => (is.hasMethod(value, "read") ? undefined : "must be a message type made by defineMessage"),
};

const testHarnessChecks: OptionChecks<TestHarnessOptions> = {
  // Checked by the engine and the client.
  queues: is.anything,
  topics: is.anything,
  firstSequenceNumber: is.anything,
  serializer: is.anything,
  stages: is.anything,
  retryOptions: is.anything,
  tracing: is.anything,
};

/**
 * Creates a client over a memory engine, both on a manual clock, for tests of services: what was published, and is all
 * work done? No test sleeps.
 *
 * @throws SobreError `InvalidArgument` naming the option.
 * @example
 * ```ts
 * await using harness = createTestHarness({ serializer, queues: ["orders", "bills"] });
 * const { client } = harness;
 * const bills = client.createSender("bills");
 * client.startProcessor("orders", {
 *   processMessage: ({ body }) => bills.sendMessages({ body }),
 *   processError: ({ error }) => console.error(error),
 * });
 * await client.createSender("orders").sendMessages({ body: { id: 7 } });
 * await harness.idle();
 * for (const { body } of await harness.published({ entity: "bills" })) console.log(body); // { id: 7 }
 * ```
 */
export function createTestHarness(options: TestHarnessOptions): TestHarness {
  checkOptions(options, testHarnessChecks, { needed: ["serializer"] });
  const { serializer, stages = [], retryOptions, tracing, ...broker } = options;
  const made = testEngine(broker);
  const { clock, sent } = made;
  const consumed = new Consumed(made.engine);
  const { engine } = consumed;
  const client = createClient({ engine, clock, serializer, stages, retryOptions, tracing, closeEngine: true });
  const close = async (): Promise<void> => void (await client.close());
  return {
    ...made,
    engine,
    client,
    published: (publishedOptions) => publishedOf(sent.list(publishedOptions?.entity), publishedOptions),
    async idle(idleOptions = {}) {
      checkOptions(idleOptions, idleChecks);
      const { maxWaitTimeInMs = 3_600_000, step = 1_000 } = idleOptions;
      const stepInMs = toMilliseconds(step, "step");
      const end = clock.now() + maxWaitTimeInMs;
      await clock.advance(0);
      for (;;) {
        for (let turn = 0; turn < turnsOfTheLoop; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
        const handling = client.health().processors.filter(({ inFlight }) => inFlight > 0);
        const busy = [...new Set([...(await consumed.busy()), ...handling.map(({ entityPath }) => entityPath)])];
        if (busy.length === 0) return;
        if (clock.now() >= end) throw notIdle(busy, maxWaitTimeInMs);
        await clock.advance(Math.min(stepInMs, end - clock.now()));
      }
    },
    close,
    [Symbol.asyncDispose]: close,
  };

  async function publishedOf<Type extends MessageType>(
    messages: readonly SentMessage[],
    publishedOptions: PublishedOptions<Type> = {},
  ): Promise<readonly PublishedMessage<BodyOf<Type>>[]> {
    checkOptions(publishedOptions, publishedChecks);
    const { messageType } = publishedOptions;
    const read = createMessageReader({ serializer, stages }, messageType && [messageType]);
    const published: PublishedMessage<BodyOf<Type>>[] = [];
    for (const message of messages) {
      const result = await read(message.envelope);
      if (!result.ok && messageType !== undefined) {
        if (result.error.code === "UnknownMessageType") continue;
        throw result.error;
      }
      published.push(asPublished<BodyOf<Type>>(message, result));
    }
    return published;
  }
}

/** Turns of the event loop between two looks, for handlers that wait for more than the clock. */
const turnsOfTheLoop = 10;

/** The reader has validated the body. */
function asPublished<Body>(message: SentMessage, result: MessageResult): PublishedMessage<Body> {
  const body: unknown = result.ok ? result.body : undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the type reader has validated the body against the type
  return { ...message, result, body: body as Body };
}

/** Notes which entities something receives from. */
class Consumed {
  readonly engine: Engine;
  readonly #inner: Engine;
  readonly #entities = new Set<string>();

  constructor(inner: Engine) {
    this.#inner = inner;
    this.engine = this.#noting(inner);
  }

  /** The entities that have messages left which something will handle. */
  async busy(): Promise<readonly string[]> {
    const found: string[] = [];
    for (const entity of this.#entities) if (await this.#isBusy(entity)) found.push(entity);
    return found;
  }

  async #isBusy(entity: string): Promise<boolean> {
    try {
      for await (const page of peekPages(this.#inner, entity, { size: 100 })) if (page.some(isWaiting)) return true;
    } catch (error) {
      // It was deleted.
      if (!(error instanceof SobreError) || error.code !== "MessagingEntityNotFound") throw error;
    }
    return false;
  }

  #noting(inner: Engine): Engine {
    return {
      ...inner,
      get admin() {
        return inner.admin;
      },
      openReceiver: (entity, options) => {
        this.#entities.add(entity);
        return inner.openReceiver(entity, options);
      },
      acceptSession: (entity, options) => {
        this.#entities.add(entity);
        return inner.acceptSession(entity, options);
      },
      connect: async (options) => this.#noting(await inner.connect(options)),
    };
  }
}

/** The hold of a session is scheduled for a time that never comes. */
const isWaiting = (message: Delivery): boolean => message.state !== "deferred" && !isHold(message);

const notIdle = (busy: readonly string[], waited: number): SobreError =>
  new SobreError(
    "ServiceTimeout",
    `After ${waited} ms of the clock there are messages left in ${busy.join(", ")}. Check what handles them, or pass a longer maxWaitTimeInMs.`,
  );
