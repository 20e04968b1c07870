import type { Serializer } from "../../core/codec/serializer.ts";
import type { PayloadStage } from "../../core/codec/payload-stage.ts";
import { subscriptionAddress } from "../../core/engine/address.ts";
import type { Engine } from "../../core/engine/engine.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { type Clock, systemClock } from "../../core/time/clock.ts";
import type { ClientParts } from "./client-parts.ts";
import { type ClientClosable, closeAll, once } from "./closing.ts";
import { closeChecks, type CloseReport } from "./processor-loops.ts";
import { checkOption, checkOptions, type OptionChecks } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";
import { startProcessor } from "./processor.ts";
import type { ReadMessage } from "./received-message.ts";
import { createReceiver } from "./receiver.ts";
import type { ReceiverOptions } from "./receiver-options.ts";
import { redrive } from "./redrive/redrive.ts";
import {
  createRequester,
  oneRequest,
  type Requester,
  type RequesterOptions,
  type RequestManyOptions,
} from "./requester.ts";
import { startResponder } from "./responder.ts";
import { createRetry, type RetryOptions } from "./retry.ts";
import { ReplySenders } from "./replies.ts";
import { healthOf, type Metrics } from "./health.ts";
import type { ClientEvent } from "./client-events.ts";
import { createSender } from "./sender.ts";
import { Signals } from "./signals.ts";
import { startSessionProcessor } from "./session-processor.ts";
import { acceptSession, type ReceivedSession, type SessionReceiverOptions } from "./session-receiver.ts";
import { startSessionWorkflow } from "./session-workflow.ts";
import { stageList } from "../../core/codec/stage-list.ts";
import type { Tracing } from "./tracing.ts";
import type { Client, OnUnreadableMode, TypeList } from "./client-interface.ts";

/** Options of {@link createClient}. */
export interface ClientOptions {
  readonly engine: Engine;
  readonly serializer: Serializer;
  /** Whether closing the client also closes the engine. Default: false, since it may be shared. */
  readonly closeEngine?: boolean | undefined;
  /** Steps between serializer and engine: compression, encryption, claim check. Default: none. */
  readonly stages?: readonly PayloadStage[] | undefined;
  /** How failed calls are retried and lost links reopened. */
  readonly retryOptions?: RetryOptions | undefined;
  /** The clock for retries and lock renewals; when the engine has one, pass the same. Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Traces messages from sender to handler. Default: none. */
  readonly tracing?: Tracing | undefined;
  /**
   * Called for everything that happens to links, locks and processors; errors that it throws are ignored. Default: only
   * a processor that ends by itself is reported, as a warning of the process.
   */
  readonly onEvent?: ((event: ClientEvent) => void) | undefined;
  /** Where figures are reported, e.g. `openTelemetryMetrics(api)`. Default: nowhere. */
  readonly metrics?: Metrics | undefined;
}

/**
 * Creates a client.
 *
 * @throws SobreError `InvalidArgument` naming the option.
 */
export function createClient(options: ClientOptions): Client {
  const parts = clientParts(options);
  const { all: signals } = parts;
  const open = new Set<ClientClosable>();
  let closed = false;
  let ends: readonly ClientClosable[] = [];
  let closing: Promise<CloseReport> | undefined;
  // A handler that closes the client still sends its reply.
  const last = [parts.replies, ...(options.closeEngine === true ? [parts.engine] : [])].map(once);
  const checkOpen = (): void => {
    if (closed) throw new SobreError("Closed", "The client is closed. Create a new one.");
  };
  const keep = <T extends ClientClosable>(make: (parts: ClientParts) => T): T => {
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
    health: () => healthOf(signals.processors(), signals.figures()),
    async close(closeOptions = {}) {
      checkOptions(closeOptions, closeChecks);
      if (!closed) ends = [...open];
      closed = true;
      open.clear();
      const own = closeAll(ends, last, { ...closeOptions, clock: parts.clock })
        .finally(() => signals.stop())
        .then((left) => ({ left }));
      // A further call waits for the same ends, no longer than the earlier ones do or its own time limit says.
      return (closing = closing === undefined ? own : Promise.race([closing, own]));
    },
    async [Symbol.asyncDispose]() {
      await this.close();
    },
  };
}

const clientChecks: OptionChecks<ClientOptions> = {
  engine: is.engine,
  serializer: is.serializer,
  closeEngine: is.flag,
  stages: stageList,
  // Checked by createRetry.
  retryOptions: () => undefined,
  clock: is.clock,
  tracing: is.methods("a Tracing, e.g. openTelemetry(api)", "inject", "startSend", "process"),
  onEvent: is.aFunction,
  metrics: is.methods("a Metrics, e.g. openTelemetryMetrics(api)", "start"),
};

const doNothing = (): void => undefined;

function clientParts(options: ClientOptions): ClientParts & { readonly replies: ReplySenders; readonly all: Signals } {
  checkOptions(options, clientChecks, { needed: ["engine", "serializer"] });
  const { engine, serializer, stages = [], retryOptions, clock = systemClock, tracing } = options;
  const all = new Signals(engine, options);
  const parts = {
    engine,
    serializer,
    stages,
    clock,
    retry: createRetry(clock, retryOptions),
    tracing,
    signals: all.root,
    closed: doNothing,
  };
  return { ...parts, replies: new ReplySenders(parts), all };
}

function checkPath(entityPath: string): string {
  checkOption("entityPath", entityPath, is.entityName);
  return entityPath;
}

function subscriptionPath(topic: string, subscription: string): string {
  checkOption("topic", topic, is.entityName);
  checkOption("subscription", subscription, is.entityName);
  return subscriptionAddress(topic, subscription);
}

function checkSessionId(sessionId: string): string {
  checkOption("sessionId", sessionId, is.text);
  return sessionId;
}
