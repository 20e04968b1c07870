import type { Message } from "../../core/codec/message.ts";
import type { ClientHealth } from "./health.ts";
import type { Transaction } from "../../core/engine/engine.ts";
import type { MessageType, MessageToSend } from "../../core/message/message-type.ts";
import type { ProcessorHandlers } from "./processor-handlers.ts";
import type { ProcessorOptions } from "./processor.ts";
import type { CloseOptions, CloseReport, Processor } from "./processor-loops.ts";
import type { ReadMessage, Received } from "./received-message.ts";
import type { Receiver } from "./receiver.ts";
import type { ReceiverOptions } from "./receiver-options.ts";
import type { RedriveOptions } from "./redrive/options.ts";
import type { RedriveReport } from "./redrive/report.ts";
import type { Requester, RequesterOptions, RequestManyOptions, RequestOptions } from "./requester.ts";
import type { ResponderHandlers, ResponderOptions } from "./responder.ts";
import type { Sender, SenderOptions } from "./sender.ts";
import type { SessionContext, SessionProcessorOptions } from "./session-processor.ts";
import type { ReceivedSession, SessionReceiverOptions } from "./session-receiver.ts";
import type { SessionWorkflowOptions, WorkflowHandlers } from "./session-workflow.ts";

/** The message types that a receiver reads. */
export type TypeList = readonly MessageType[];
/** Whether a receiver hands over an unreadable message or dead-letters it. */
export type OnUnreadableMode = "hand-over" | "dead-letter";

/** Senders, receivers and processors over one engine; the names are those of `@azure/service-bus`. */
export interface Client extends AsyncDisposable {
  /**
   * The link is opened by the first send.
   *
   * @example
   * ```ts
   * const sender = client.createSender("orders");
   * await sender.sendMessages([{ body: { id: 8 } }, { body: { id: 9 }, subject: "rush" }]);
   *
   * const Placed = defineMessage("shop.placed", { 1: z.object({ id: z.number() }) });
   * const typed = client.createSender("orders", { messageTypes: [Placed] }); // sends nothing else
   * await typed.sendMessages(Placed.message({ id: 8 }));
   * ```
   */
  createSender<const Types extends TypeList = readonly []>(
    entityPath: string,
    options?: SenderOptions<Types>,
  ): Sender<MessageToSend<Types>>;
  /**
   * The link is opened by the first receive.
   *
   * @example
   * ```ts
   * const receiver = client.createReceiver("orders", { receiveMode: "peekLock" });
   * for (const message of await receiver.receiveMessages(10, { maxWaitTimeInMs: 1_000 })) {
   *   if (message.ok) console.log(message.body);
   *   await receiver.completeMessage(message);
   * }
   * ```
   */
  createReceiver<const Types extends TypeList = readonly [], const OnUnreadable extends OnUnreadableMode = "hand-over">(
    entityPath: string,
    options?: ReceiverOptions<Types, OnUnreadable>,
  ): Receiver<Received<Types, OnUnreadable>, ReadMessage<Types>>;
  createReceiver<const Types extends TypeList = readonly [], const OnUnreadable extends OnUnreadableMode = "hand-over">(
    topic: string,
    subscription: string,
    options?: ReceiverOptions<Types, OnUnreadable>,
  ): Receiver<Received<Types, OnUnreadable>, ReadMessage<Types>>;
  /**
   * Starts receiving, and calls the handlers until the processor is closed.
   *
   * @example
   * ```ts
   * const processor = client.startProcessor(
   *   "orders",
   *   {
   *     processMessage: async ({ body }) => console.log(body), // completed when it resolves
   *     processError: ({ errorSource, error }) => console.error(errorSource, error),
   *   },
   *   { maxConcurrentCalls: 10 },
   * );
   * await processor.close();
   * ```
   */
  startProcessor<const Types extends TypeList = readonly []>(
    entityPath: string,
    handlers: ProcessorHandlers<ReadMessage<Types>>,
    options?: ProcessorOptions<Types>,
  ): Processor;
  /**
   * Accepts a session by its id.
   *
   * @throws SobreError `SessionCannotBeLocked` when another receiver holds it.
   * @example
   * ```ts
   * const session = await client.acceptSession("carts", "cart-7");
   * for (const message of await session.receiveMessages(10, { maxWaitTimeInMs: 0 })) await session.completeMessage(message);
   * await session.close();
   * ```
   */
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
  /**
   * Accepts the next session that is unlocked and has messages.
   *
   * @throws SobreError `ServiceTimeout` when there is none within the wait.
   * @example
   * ```ts
   * const session = await client.acceptNextSession("carts", { maxWaitTimeInMs: 1_000 });
   * console.log(session.sessionId); // cart-7
   * await session.close();
   * ```
   */
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
  /**
   * Starts accepting sessions, and handles the messages of each in order.
   *
   * @example
   * ```ts
   * const processor = client.startSessionProcessor(
   *   "carts",
   *   {
   *     processMessage: ({ body }, { session }) => console.log(session.sessionId, body),
   *     processError: ({ error }) => console.error(error),
   *   },
   *   { maxConcurrentSessions: 4 },
   * );
   * await processor.close();
   * ```
   */
  startSessionProcessor<const Types extends TypeList = readonly []>(
    entityPath: string,
    handlers: ProcessorHandlers<ReadMessage<Types>, SessionContext>,
    options?: SessionProcessorOptions<Types>,
  ): Processor;
  /**
   * Creates a requester, which sends requests to an entity and receives their replies.
   *
   * @example
   * ```ts
   * const requester = client.createRequester("billing", { replyTo: "replies" });
   * const responder = client.startResponder("billing", {
   *   processRequest: ({ body }) => ({ body: { received: body } }),
   *   processError: ({ error }) => console.error(error),
   * });
   * console.log((await requester.request({ body: 7 })).body); // { received: 7 }
   * await responder.close();
   * ```
   */
  createRequester<const Types extends TypeList = readonly []>(
    entityPath: string,
    options: RequesterOptions<Types>,
  ): Requester<ReadMessage<Types>>;
  /**
   * Starts answering requests.
   *
   * @example
   * ```ts
   * const responder = client.startResponder("billing", {
   *   processRequest: ({ body }) => ({ body: { received: body } }),
   *   processError: ({ error }) => console.error(error),
   * });
   * await responder.close();
   * ```
   */
  startResponder<const Types extends TypeList = readonly []>(
    entityPath: string,
    handlers: ResponderHandlers<ReadMessage<Types>>,
    options?: ResponderOptions<Types>,
  ): Processor;
  /**
   * Sends one request through a temporary requester; resolves to the first reply.
   *
   * @example
   * ```ts
   * const responder = client.startResponder("billing", {
   *   processRequest: () => ({ body: "paid" }),
   *   processError: ({ error }) => console.error(error),
   * });
   * const reply = await client.request("billing", { body: 7 }, { replyTo: "replies", timeoutInMs: 5_000 });
   * console.log(reply.body); // paid
   * await responder.close();
   * ```
   */
  request<const Types extends TypeList = readonly []>(
    entityPath: string,
    message: Message,
    options: RequesterOptions<Types> & RequestOptions,
  ): Promise<ReadMessage<Types>>;
  /**
   * Sends one request through a temporary requester; yields the replies as they arrive.
   *
   * @example
   * ```ts
   * const replies = client.requestMany("billing", { body: "who is there?" }, { replyTo: "replies", timeoutInMs: 10 });
   * for await (const { body } of replies) console.log(body);
   * ```
   */
  requestMany<const Types extends TypeList = readonly []>(
    entityPath: string,
    message: Message,
    options: RequesterOptions<Types> & RequestManyOptions,
  ): AsyncGenerator<ReadMessage<Types>, void, undefined>;
  /**
   * Starts workflows, one per session.
   *
   * @example
   * ```ts
   * const workflow = client.startSessionWorkflow<{ readonly items: number }>("carts", {
   *   processStep: ({ kind, state }) => (kind === "start" ? { items: 0 } : { items: (state?.items ?? 0) + 1 }),
   *   processError: ({ error }) => console.error(error),
   * });
   * await workflow.close();
   * ```
   */
  startSessionWorkflow<State, const Types extends TypeList = readonly []>(
    entityPath: string,
    handlers: WorkflowHandlers<State, ReadMessage<Types>>,
    options?: SessionWorkflowOptions<Types>,
  ): Processor;
  /**
   * Sends the messages of a dead-letter queue, e.g. `orders/$DeadLetterQueue`, back to the entity they came from;
   * resolves to a report.
   *
   * @example
   * ```ts
   * const report = await client.redrive("orders/$DeadLetterQueue", { dryRun: true });
   * console.log(report.sent, report.failed); // 0 0
   * ```
   */
  redrive(deadLetterQueue: string, options?: RedriveOptions): Promise<RedriveReport>;
  /**
   * Begins a transaction: the sends and settlements that it is passed to happen together or not at all.
   *
   * @example
   * ```ts
   * const transaction = await client.beginTransaction();
   * await receiver.completeMessage(message, { transaction });
   * await client.createSender("billing").sendMessages({ body: { order: 7 } }, { transaction });
   * await transaction.commit();
   * ```
   */
  beginTransaction(): Promise<Transaction>;
  /**
   * The state of the client's processors and links, and its counts: a moment's work, for a readiness or liveness probe.
   *
   * @example
   * ```ts
   * const { status, processors } = client.health();
   * if (status === "failed") console.error(processors.filter((one) => one.status === "ended"));
   * ```
   */
  health(): ClientHealth;
  /**
   * Gracefully closes everything that the client created; the engine stays open unless `closeEngine` is set.
   *
   * After `timeoutInMs` it no longer waits, and resolves to the messages that its processors have released.
   *
   * @example
   * ```ts
   * const { left } = await client.close({ timeoutInMs: 25_000 });
   * for (const { messageId } of left) console.warn(`${String(messageId)} will be redelivered`);
   * ```
   */
  close(options?: CloseOptions): Promise<CloseReport>;
}
