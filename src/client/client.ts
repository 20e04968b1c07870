import type { Message, Serializer } from "../codec/serializer.ts";
import type { PayloadStage } from "../codec/payload-stage.ts";
import type { Engine, Transaction } from "../engine/engine.ts";
import { SobreError } from "../errors/sobre-error.ts";
import type { MessageType } from "../message/message-type.ts";
import { type Clock, systemClock } from "../time/clock.ts";
import type { ClientParts } from "./client-parts.ts";
import type { ProcessorHandlers } from "./message-work.ts";
import { checkOption, checkOptions, entityName, methods, type OptionChecks, text } from "../options/option-checks.ts";
import { type ProcessorOptions, startProcessor } from "./processor.ts";
import type { Processor } from "./processor-loops.ts";
import type { ReadMessage, Received } from "./received-message.ts";
import { createReceiver, type Receiver, type ReceiverOptions } from "./receiver.ts";
import { redrive } from "./redrive.ts";
import type { RedriveOptions, RedriveReport } from "./redrive-options.ts";
import { oneRequest } from "./one-request.ts";
import {
  createRequester,
  type Requester,
  type RequesterOptions,
  type RequestManyOptions,
  type RequestOptions,
} from "./requester.ts";
import { type ResponderHandlers, startResponder } from "./responder.ts";
import { createRetry, type RetryOptions } from "./retry.ts";
import { createSender, type Sender } from "./sender.ts";
import { type SessionContext, type SessionProcessorOptions, startSessionProcessor } from "./session-processor.ts";
import { acceptSession, type AcceptSessionOptions, type ReceivedSession } from "./session-receiver.ts";
import { type SessionWorkflowOptions, startSessionWorkflow, type WorkflowHandlers } from "./session-workflow.ts";
import { stageList } from "./staging.ts";
import type { Tracing } from "./tracing.ts";

/** What {@link createClient} takes. */
export interface ClientOptions {
  readonly engine: Engine;
  readonly serializer: Serializer;
  /** What happens to payloads between serializer and engine. Default: nothing. */
  readonly stages?: readonly PayloadStage[] | undefined;
  /** How often and how patiently sends are tried again, and links are opened again. */
  readonly retryOptions?: RetryOptions | undefined;
  /** What retries and renewals wait by; the engine's, when that runs on a clock of its own. Default: the machine's clock. */
  readonly clock?: Clock | undefined;
  /** Follows messages from sender to handler. Default: nothing. */
  readonly tracing?: Tracing | undefined;
}

/** Senders, receivers and processors over one engine; the names are those of `@azure/service-bus`. */
export interface Client {
  createSender(entityPath: string): Sender;
  createReceiver<
    const Types extends readonly MessageType[] = readonly [],
    const OnUnreadable extends "hand-over" | "dead-letter" = "hand-over",
  >(
    entityPath: string,
    options?: ReceiverOptions<Types, OnUnreadable>,
  ): Receiver<Received<Types, OnUnreadable>, ReadMessage<Types>>;
  /** Starts receiving at once. */
  createProcessor<const Types extends readonly MessageType[] = readonly []>(
    entityPath: string,
    handlers: ProcessorHandlers<ReadMessage<Types>>,
    options?: ProcessorOptions<Types>,
  ): Processor;
  /** Accepts a session by its id. @throws SobreError `SessionCannotBeLocked` when another receiver holds it. */
  acceptSession<
    const Types extends readonly MessageType[] = readonly [],
    const OnUnreadable extends "hand-over" | "dead-letter" = "hand-over",
  >(
    entityPath: string,
    sessionId: string,
    options?: AcceptSessionOptions<Types, OnUnreadable>,
  ): Promise<ReceivedSession<Types, OnUnreadable>>;
  /** Accepts a session that is free and has messages. @throws SobreError `ServiceTimeout` when there is none in time. */
  acceptNextSession<
    const Types extends readonly MessageType[] = readonly [],
    const OnUnreadable extends "hand-over" | "dead-letter" = "hand-over",
  >(
    entityPath: string,
    options?: AcceptSessionOptions<Types, OnUnreadable>,
  ): Promise<ReceivedSession<Types, OnUnreadable>>;
  /** Starts accepting sessions at once. */
  createSessionProcessor<const Types extends readonly MessageType[] = readonly []>(
    entityPath: string,
    handlers: ProcessorHandlers<ReadMessage<Types>, SessionContext>,
    options?: SessionProcessorOptions<Types>,
  ): Processor;
  /** Makes what sends requests to an entity and receives their replies. */
  createRequester<const Types extends readonly MessageType[] = readonly []>(
    entityPath: string,
    options: RequesterOptions<Types>,
  ): Requester<ReadMessage<Types>>;
  /** Starts answering requests at once. */
  createResponder<const Types extends readonly MessageType[] = readonly []>(
    entityPath: string,
    handlers: ResponderHandlers<ReadMessage<Types>>,
    options?: ProcessorOptions<Types>,
  ): Processor;
  /** One request with a requester of its own; resolves to the first reply. */
  request<const Types extends readonly MessageType[] = readonly []>(
    entityPath: string,
    message: Message,
    options: RequesterOptions<Types> & RequestOptions,
  ): Promise<ReadMessage<Types>>;
  /** One request with a requester of its own; the replies as they come. */
  requestMany<const Types extends readonly MessageType[] = readonly []>(
    entityPath: string,
    message: Message,
    options: RequesterOptions<Types> & RequestManyOptions,
  ): AsyncGenerator<ReadMessage<Types>, void, undefined>;
  /** Starts workflows, one per session, at once. */
  createSessionWorkflow<State, const Types extends readonly MessageType[] = readonly []>(
    entityPath: string,
    handlers: WorkflowHandlers<State, ReadMessage<Types>>,
    options?: SessionWorkflowOptions<Types>,
  ): Processor;
  /** Sends the messages of a dead-letter queue, as `orders/$DeadLetterQueue`, back to where they were; resolves to what was done. */
  redrive(deadLetterQueue: string, options?: RedriveOptions): Promise<RedriveReport>;
  /** What is sent and settled with it happens together or not at all. */
  beginTransaction(): Promise<Transaction>;
  /** Closes everything the client made, gracefully; the engine stays open. */
  close(): Promise<void>;
}

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
  const accept = async <
    const Types extends readonly MessageType[],
    const OnUnreadable extends "hand-over" | "dead-letter",
  >(
    entityPath: string,
    sessionId: string | undefined,
    sessionOptions: AcceptSessionOptions<Types, OnUnreadable> = {},
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
  return {
    createSender: (entityPath) => keep((own) => createSender(checkPath(entityPath), own)),
    createReceiver: (entityPath, receiverOptions) =>
      keep((own) => createReceiver(checkPath(entityPath), own, receiverOptions)),
    createProcessor: (entityPath, handlers, processorOptions) =>
      keep((own) => startProcessor(checkPath(entityPath), own, handlers, processorOptions)),
    acceptSession: (entityPath, sessionId, sessionOptions) =>
      accept(entityPath, checkSessionId(sessionId), sessionOptions),
    acceptNextSession: (entityPath, sessionOptions) => accept(entityPath, undefined, sessionOptions),
    createSessionProcessor: (entityPath, handlers, processorOptions) =>
      keep((own) => startSessionProcessor(checkPath(entityPath), own, handlers, processorOptions)),
    createRequester: (entityPath, requesterOptions) =>
      keep((own) => createRequester(checkPath(entityPath), own, requesterOptions)),
    createResponder: (entityPath, handlers, processorOptions) =>
      keep((own) => startResponder(checkPath(entityPath), own, handlers, processorOptions)),
    async request(entityPath, message, requestOptions) {
      const [forRequester, forRequest] = oneRequest(requestOptions);
      const requester = keep((own) => createRequester(checkPath(entityPath), own, forRequester));
      try {
        return await requester.request(message, forRequest);
      } finally {
        await requester.close();
      }
    },
    async *requestMany(entityPath, message, requestOptions) {
      const [forRequester, forRequest] = oneRequest(requestOptions);
      const requester = keep((own) => createRequester(checkPath(entityPath), own, forRequester));
      try {
        yield* requester.requestMany(message, forRequest);
      } finally {
        await requester.close();
      }
    },
    createSessionWorkflow: (entityPath, handlers, workflowOptions) =>
      keep((own) => startSessionWorkflow(checkPath(entityPath), own, handlers, workflowOptions)),
    async redrive(deadLetterQueue, redriveOptions) {
      checkOpen();
      return redrive(deadLetterQueue, parts, redriveOptions);
    },
    async beginTransaction() {
      checkOpen();
      return parts.engine.begin();
    },
    async close() {
      closed = true;
      const ends = [...open];
      open.clear();
      await Promise.all(ends.map((end) => end.close()));
    },
  };
}

const checks: OptionChecks<ClientOptions> = {
  engine: methods("an engine, as memoryEngine()", "openSender", "openReceiver", "settle"),
  serializer: methods("made by createSerializer", "serialize", "deserialize"),
  stages: stageList,
  // It checks its own.
  retryOptions: () => undefined,
  clock: methods("a clock, as ManualClock", "now", "setTimer"),
  tracing: methods("a tracing, as openTelemetry(api)", "inject", "startSend", "process"),
};

function clientParts(options: ClientOptions): ClientParts {
  checkOptions(options, checks, { needed: ["engine", "serializer"] });
  const { engine, serializer, stages = [], retryOptions, clock = systemClock, tracing } = options;
  return {
    engine,
    serializer,
    stages,
    clock,
    retry: createRetry(clock, retryOptions),
    tracing,
    closed: () => undefined,
  };
}

function checkPath(entityPath: string): string {
  checkOption("entityPath", entityPath, entityName);
  return entityPath;
}

function checkSessionId(sessionId: string): string {
  checkOption("sessionId", sessionId, text);
  return sessionId;
}
