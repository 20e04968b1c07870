import type { Message, Serializer } from "../codec/serializer.ts";
import type { PayloadStage } from "../codec/payload-stage.ts";
import { subscriptionAddress } from "../engine/address.ts";
import type { Engine, Transaction } from "../engine/engine.ts";
import { SobreError } from "../errors/sobre-error.ts";
import type { MessageType } from "../message/message-type.ts";
import { type Clock, systemClock } from "../time/clock.ts";
import type { ClientParts } from "./client-parts.ts";
import type { ProcessorHandlers } from "./message-work.ts";
import {
  checkOption,
  checkOptions,
  entityName,
  flag,
  methods,
  type OptionChecks,
  text,
} from "../options/option-checks.ts";
import { type ProcessorOptions, startProcessor } from "./processor.ts";
import type { Processor } from "./processor-loops.ts";
import type { ReadMessage, Received } from "./received-message.ts";
import { createReceiver, type Receiver, type ReceiverOptions } from "./receiver.ts";
import { redrive, type RedriveOptions, type RedriveReport } from "./redrive.ts";
import {
  createRequester,
  oneRequest,
  type Requester,
  type RequesterOptions,
  type RequestManyOptions,
  type RequestOptions,
} from "./requester.ts";
import { type ResponderHandlers, startResponder } from "./responder.ts";
import { createRetry, type RetryOptions } from "./retry.ts";
import { Replies } from "./replies.ts";
import { createSender, type Sender, type SenderOptions } from "./sender.ts";
import { type SessionContext, type SessionProcessorOptions, startSessionProcessor } from "./session-processor.ts";
import { acceptSession, type ReceivedSession, type SessionReceiverOptions } from "./session-receiver.ts";
import { type SessionWorkflowOptions, startSessionWorkflow, type WorkflowHandlers } from "./session-workflow.ts";
import { stageList } from "./staging.ts";
import type { Tracing } from "./tracing.ts";

/** Options of {@link createClient}. */
export interface ClientOptions {
  readonly engine: Engine;
  readonly serializer: Serializer;
  /** Whether closing the client closes the engine, too. Default: false, since others may use it. */
  readonly closeEngine?: boolean | undefined;
  /** Steps between serializer and engine: compression, encryption, claim check. Default: none. */
  readonly stages?: readonly PayloadStage[] | undefined;
  /** How failed calls are retried, and lost links opened again. */
  readonly retryOptions?: RetryOptions | undefined;
  /** The clock of retries and renewals; pass the engine's when that has a clock of its own. Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Follows messages from sender to handler. Default: nothing. */
  readonly tracing?: Tracing | undefined;
}

/** Senders, receivers and processors over one engine; the names are those of `@azure/service-bus`. */
export interface Client extends AsyncDisposable {
  /** The link is opened by the first send. */
  createSender(entityPath: string, options?: SenderOptions): Sender;
  /** The link is opened by the first receive. */
  createReceiver<const Types extends TypeList = readonly [], const OnUnreadable extends OnUnreadableMode = "hand-over">(
    entityPath: string,
    options?: ReceiverOptions<Types, OnUnreadable>,
  ): Receiver<Received<Types, OnUnreadable>, ReadMessage<Types>>;
  createReceiver<const Types extends TypeList = readonly [], const OnUnreadable extends OnUnreadableMode = "hand-over">(
    topic: string,
    subscription: string,
    options?: ReceiverOptions<Types, OnUnreadable>,
  ): Receiver<Received<Types, OnUnreadable>, ReadMessage<Types>>;
  /** Starts to receive at once, and calls the handlers until the processor is closed. */
  startProcessor<const Types extends TypeList = readonly []>(
    entityPath: string,
    handlers: ProcessorHandlers<ReadMessage<Types>>,
    options?: ProcessorOptions<Types>,
  ): Processor;
  /** Accepts a session by its id. @throws SobreError `SessionCannotBeLocked` when another receiver holds it. */
  acceptSession<const Types extends TypeList = readonly [], const OnUnreadable extends OnUnreadableMode = "hand-over">(
    entityPath: string,
    sessionId: string,
    options?: SessionReceiverOptions<Types, OnUnreadable>,
  ): Promise<ReceivedSession<Types, OnUnreadable>>;
  acceptSession<const Types extends TypeList = readonly [], const OnUnreadable extends OnUnreadableMode = "hand-over">(
    topic: string,
    subscription: string,
    sessionId: string,
    options?: SessionReceiverOptions<Types, OnUnreadable>,
  ): Promise<ReceivedSession<Types, OnUnreadable>>;
  /** Accepts a session that is free and has messages. @throws SobreError `ServiceTimeout` when there is none in time. */
  acceptNextSession<
    const Types extends TypeList = readonly [],
    const OnUnreadable extends OnUnreadableMode = "hand-over",
  >(
    entityPath: string,
    options?: SessionReceiverOptions<Types, OnUnreadable>,
  ): Promise<ReceivedSession<Types, OnUnreadable>>;
  acceptNextSession<
    const Types extends TypeList = readonly [],
    const OnUnreadable extends OnUnreadableMode = "hand-over",
  >(
    topic: string,
    subscription: string,
    options?: SessionReceiverOptions<Types, OnUnreadable>,
  ): Promise<ReceivedSession<Types, OnUnreadable>>;
  /** Starts to accept sessions at once, and handles the messages of each in order. */
  startSessionProcessor<const Types extends TypeList = readonly []>(
    entityPath: string,
    handlers: ProcessorHandlers<ReadMessage<Types>, SessionContext>,
    options?: SessionProcessorOptions<Types>,
  ): Processor;
  /** Makes a requester, which sends requests to an entity and receives their replies. */
  createRequester<const Types extends TypeList = readonly []>(
    entityPath: string,
    options: RequesterOptions<Types>,
  ): Requester<ReadMessage<Types>>;
  /** Starts to answer requests at once. */
  startResponder<const Types extends TypeList = readonly []>(
    entityPath: string,
    handlers: ResponderHandlers<ReadMessage<Types>>,
    options?: ProcessorOptions<Types>,
  ): Processor;
  /** One request with a requester of its own; resolves to the first reply. */
  request<const Types extends TypeList = readonly []>(
    entityPath: string,
    message: Message,
    options: RequesterOptions<Types> & RequestOptions,
  ): Promise<ReadMessage<Types>>;
  /** One request with a requester of its own; the replies as they come. */
  requestMany<const Types extends TypeList = readonly []>(
    entityPath: string,
    message: Message,
    options: RequesterOptions<Types> & RequestManyOptions,
  ): AsyncGenerator<ReadMessage<Types>, void, undefined>;
  /** Starts workflows, one per session, at once. */
  startSessionWorkflow<State, const Types extends TypeList = readonly []>(
    entityPath: string,
    handlers: WorkflowHandlers<State, ReadMessage<Types>>,
    options?: SessionWorkflowOptions<Types>,
  ): Processor;
  /** Sends the messages of a dead-letter queue, e.g. `orders/$DeadLetterQueue`, back to where they were; resolves to a report. */
  redrive(deadLetterQueue: string, options?: RedriveOptions): Promise<RedriveReport>;
  /** Sends and settlements that are given the transaction happen together or not at all. */
  beginTransaction(): Promise<Transaction>;
  /** Closes everything the client made, gracefully; the engine stays open unless `closeEngine` is set. */
  close(): Promise<void>;
}

/** The message types that a receiver reads. */
export type TypeList = readonly MessageType[];
/** Whether a receiver hands an unreadable message over or dead-letters it. */
export type OnUnreadableMode = "hand-over" | "dead-letter";

/**
 * Makes a client.
 *
 * @throws SobreError `InvalidArgument` naming the option.
 */
export function createClient(options: ClientOptions): Client {
  const parts = clientParts(options);
  const open = new Set<{ close(): Promise<void> }>();
  let closed = false;
  const checkOpen = (): void => {
    if (closed) throw new SobreError("Closed", "The client is closed. Create another.");
  };
  const keep = <T extends { close(): Promise<void> }>(make: (parts: ClientParts) => T): T => {
    checkOpen();
    const end: T = make({ ...parts, closed: () => void open.delete(end) });
    open.add(end);
    return end;
  };
  const accept = async <const Types extends TypeList, const OnUnreadable extends OnUnreadableMode>(
    entityPath: string,
    sessionId: string | undefined,
    sessionOptions: SessionReceiverOptions<Types, OnUnreadable> = {},
  ): Promise<ReceivedSession<Types, OnUnreadable>> => {
    checkOpen();
    const forget: { closed: ClientParts["closed"] } = { closed: () => undefined };
    const stop = new AbortController();
    const waiting = { close: async () => stop.abort() };
    open.add(waiting);
    const sessionParts = { ...parts, closed: () => forget.closed() };
    const session = await acceptSession(checkPath(entityPath), sessionId, sessionParts, sessionOptions, stop.signal)
      .catch((error: unknown) => {
        checkOpen();
        throw error;
      })
      .finally(() => open.delete(waiting));
    if (closed) await session.close();
    return keep((own) => {
      forget.closed = own.closed;
      return session;
    });
  };
  const withRequester = <const Types extends TypeList>(
    entityPath: string,
    requestOptions: RequesterOptions<Types> & RequestManyOptions,
  ): readonly [Requester<ReadMessage<Types>>, RequestManyOptions] => {
    const [forRequester, forRequest] = oneRequest(requestOptions);
    return [keep((own) => createRequester(checkPath(entityPath), own, forRequester)), forRequest];
  };
  return {
    createSender: (entityPath, senderOptions) => keep((own) => createSender(checkPath(entityPath), own, senderOptions)),
    createReceiver: <const Types extends TypeList, const OnUnreadable extends OnUnreadableMode>(
      entityPath: string,
      second?: string | ReceiverOptions<Types, OnUnreadable>,
      third?: ReceiverOptions<Types, OnUnreadable>,
    ) => {
      const [path, receiverOptions] =
        typeof second === "string" ? [subscriptionPath(entityPath, second), third] : [checkPath(entityPath), second];
      return keep((own) => createReceiver(path, own, receiverOptions));
    },
    startProcessor: (entityPath, handlers, processorOptions) =>
      keep((own) => startProcessor(checkPath(entityPath), own, handlers, processorOptions)),
    acceptSession: <const Types extends TypeList, const OnUnreadable extends OnUnreadableMode>(
      entityPath: string,
      second: string,
      third?: string | SessionReceiverOptions<Types, OnUnreadable>,
      fourth?: SessionReceiverOptions<Types, OnUnreadable>,
    ) =>
      typeof third === "string"
        ? accept(subscriptionPath(entityPath, second), checkSessionId(third), fourth)
        : accept(entityPath, checkSessionId(second), third),
    acceptNextSession: <const Types extends TypeList, const OnUnreadable extends OnUnreadableMode>(
      entityPath: string,
      second?: string | SessionReceiverOptions<Types, OnUnreadable>,
      third?: SessionReceiverOptions<Types, OnUnreadable>,
    ) =>
      typeof second === "string"
        ? accept(subscriptionPath(entityPath, second), undefined, third)
        : accept(entityPath, undefined, second),
    startSessionProcessor: (entityPath, handlers, processorOptions) =>
      keep((own) => startSessionProcessor(checkPath(entityPath), own, handlers, processorOptions)),
    createRequester: (entityPath, requesterOptions) =>
      keep((own) => createRequester(checkPath(entityPath), own, requesterOptions)),
    startResponder: (entityPath, handlers, processorOptions) =>
      keep((own) => startResponder(checkPath(entityPath), own, handlers, processorOptions)),
    async request(entityPath, message, requestOptions) {
      const [requester, forRequest] = withRequester(entityPath, requestOptions);
      try {
        return await requester.request(message, forRequest);
      } finally {
        await requester.close();
      }
    },
    async *requestMany(entityPath, message, requestOptions) {
      const [requester, forRequest] = withRequester(entityPath, requestOptions);
      try {
        yield* requester.requestMany(message, forRequest);
      } finally {
        await requester.close();
      }
    },
    startSessionWorkflow: (entityPath, handlers, workflowOptions) =>
      keep((own) => startSessionWorkflow(checkPath(entityPath), own, handlers, workflowOptions)),
    async redrive(deadLetterQueue, redriveOptions) {
      checkOpen();
      return redrive(deadLetterQueue, parts, redriveOptions);
    },
    async beginTransaction() {
      checkOpen();
      return parts.retry.once(() => parts.engine.begin());
    },
    async close() {
      closed = true;
      const ends = [...open];
      open.clear();
      await Promise.all(ends.map((end) => end.close()));
      // A handler that closes the client still sends its reply.
      await parts.replies.close();
      if (options.closeEngine === true) await parts.engine.close();
    },
    [Symbol.asyncDispose]() {
      return this.close();
    },
  };
}

const checks: OptionChecks<ClientOptions> = {
  engine: methods("an engine, as memoryEngine()", "openSender", "openReceiver", "settle"),
  serializer: methods("made by createSerializer", "serialize", "deserialize"),
  closeEngine: flag,
  stages: stageList,
  // It checks its own.
  retryOptions: () => undefined,
  clock: methods("a clock, as ManualClock", "now", "setTimer"),
  tracing: methods("a tracing, as openTelemetry(api)", "inject", "startSend", "process"),
};

const nothing = (): void => undefined;

function clientParts(options: ClientOptions): ClientParts & { readonly replies: Replies } {
  checkOptions(options, checks, { needed: ["engine", "serializer"] });
  const { engine, serializer, stages = [], retryOptions, clock = systemClock, tracing } = options;
  const parts = {
    engine,
    serializer,
    stages,
    clock,
    retry: createRetry(clock, retryOptions),
    tracing,
    closed: nothing,
  };
  return { ...parts, replies: new Replies(parts) };
}

function checkPath(entityPath: string): string {
  checkOption("entityPath", entityPath, entityName);
  return entityPath;
}

function subscriptionPath(topic: string, subscription: string): string {
  checkOption("topic", topic, entityName);
  checkOption("subscription", subscription, entityName);
  return subscriptionAddress(topic, subscription);
}

function checkSessionId(sessionId: string): string {
  checkOption("sessionId", sessionId, text);
  return sessionId;
}
