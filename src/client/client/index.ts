/**
 * Every name of the client. `sobre` exports the everyday ones as well, and it alone has `createClient`, which brings the
 * engine for connection strings: what is here needs no engine.
 */
export type { ClientOptions } from "./client.ts";
export type {
  ClientEvent,
  ConnectedEvent,
  DisconnectedEvent,
  LinkKind,
  LockLostEvent,
  PausedEvent,
  ProcessorEndedEvent,
  ResumedEvent,
  RetryingEvent,
} from "./client-events.ts";
export type { ClientHealth, EntityFigures, MeasuredEntity, Metrics, ProcessorHealth } from "./health.ts";
export type { Client, OnUnreadableMode, TypeList } from "./client-interface.ts";
export { idempotent, type IdempotentOptions, type InboxClaim } from "./idempotent.ts";
export { type Inbox, type InboxAnswer, memoryInbox, type MemoryInboxOptions } from "./inbox.ts";
export type { MessageBatch } from "./message-batch.ts";
export type { MessageResult } from "./message-reader.ts";
export type { MessageIteratorOptions } from "./message-iterator.ts";
export type { MessageContext } from "./handling.ts";
export { faultProperty } from "./faults.ts";
export type { Handler, HandlerOrByType, HandlersByType } from "./handlers-by-type.ts";
export type { ProcessorHandlers } from "./processor-handlers.ts";
export {
  delayedRetriesProperty,
  immediateRetriesProperty,
  type MessageRetries,
  notRetryable,
  type ProcessorRetries,
  retriesExhausted,
  type SessionRetries,
} from "./message-retries.ts";
export type { PauseWhen } from "./pause-when.ts";
export { retryTimerProperty } from "./retry-timer.ts";
export { holdProperty } from "./session-hold.ts";
export type { ErrorSource, ProcessErrorArgs } from "./process-error.ts";
export {
  openTelemetry,
  type OpenTelemetryApi,
  type OpenTelemetrySpan,
  type OpenTelemetrySpanOptions,
} from "./open-telemetry.ts";
export {
  type MetricAttributes,
  type MetricOptions,
  type OpenTelemetryMeter,
  openTelemetryMetrics,
  type OpenTelemetryMetricsApi,
} from "./open-telemetry-metrics.ts";
export type { ProcessorOptions } from "./processor.ts";
export type { CloseOptions, CloseReport, LeftMessage, Processor } from "./processor-loops.ts";
export type { MessageOf, ReadMessage, Received, ReceivedMessage, UnreadableMessage } from "./received-message.ts";
export type { Receiver } from "./receiver.ts";
export type {
  DeleteMessagesOptions,
  PeekMessagesOptions,
  ReceiveMessagesOptions,
  ReceiverOptions,
  SubscribeOptions,
} from "./receiver-options.ts";
export type { RedriveLog } from "./redrive/log.ts";
export type { RedriveOptions } from "./redrive/options.ts";
export { redriveCountProperty, redriveIdProperty } from "./redrive/preparation.ts";
export type { RedriveEntry, RedriveReport } from "./redrive/report.ts";
export { resolveReplyTo } from "./reply-address.ts";
export type { Requester, RequesterOptions, RequestManyOptions, RequestOptions } from "./requester.ts";
export type { Replying, ResponderHandlers, ResponderOptions } from "./responder.ts";
export type { RetryOptions } from "./retry.ts";
export type { CreateMessageBatchOptions, SendMessagesOptions, Sender, SenderOptions } from "./sender.ts";
export type { SendManyOptions, SendOutcome } from "./send-many.ts";
export type { SessionContext, SessionProcessorOptions } from "./session-processor.ts";
export type { SessionReceiverOptions, HeldSession, ReceivedSession, SessionReceiver } from "./session-receiver.ts";
export {
  type SessionWorkflowOptions,
  type WorkflowHandlers,
  workflowOutOfOrder,
  type WorkflowStep,
} from "./session-workflow.ts";
export type { AbortOption } from "./attempts.ts";
export type { DeadLetterOptions, PropertiesToModify, SettleOptions, SettlingVerbs } from "./settling.ts";
export type { TracedOperation, TracedSpan, Tracing } from "./tracing.ts";
export {
  attemptsProperty,
  failureProperty,
  maxDescriptionLength,
  toDeadLetterOptions,
  unreadableReason,
  withoutDeadLetterMarks,
} from "./dead-lettering.ts";
