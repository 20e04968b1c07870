export { amqp, type AmqpCodecOptions } from "../codecs/amqp/codec.ts";
export { bytes } from "../codecs/bytes/index.ts";
export { json, type JsonOptions } from "../codecs/json/index.ts";
export { msgpack, type MsgpackOptions } from "../codecs/msgpack/msgpack.ts";
export { protobuf, type ProtobufOptions } from "../codecs/protobuf/protobuf.ts";
export { text, type TextOptions } from "../codecs/text/index.ts";
export type { ClientOptions } from "./client/client.ts";
export type { Client } from "./client/client-interface.ts";
export { type ConnectedClientOptions, createClient } from "./create-client.ts";
export { idempotent, type IdempotentOptions, type InboxClaim } from "./client/idempotent.ts";
export { type Inbox, type InboxAnswer, memoryInbox, type MemoryInboxOptions } from "./client/inbox.ts";
export type { MessageBatch } from "./client/message-batch.ts";
export type { MessageContext } from "./client/handling.ts";
export type { ProcessorHandlers } from "./client/processor-handlers.ts";
export { openTelemetry, type OpenTelemetryApi, type OpenTelemetrySpan } from "./client/open-telemetry.ts";
export type { ErrorSource, ProcessErrorArgs } from "./client/process-error.ts";
export type { Processor } from "./client/processor-loops.ts";
export type { ProcessorOptions } from "./client/processor.ts";
export type { ReadMessage, Received, ReceivedMessage, UnreadableMessage } from "./client/received-message.ts";
export type { Receiver } from "./client/receiver.ts";
export type { ReceiveMessagesOptions, ReceiverOptions } from "./client/receiver-options.ts";
export type { RedriveOptions } from "./client/redrive/options.ts";
export type { RedriveReport } from "./client/redrive/report.ts";
export { resolveReplyTo } from "./client/reply-address.ts";
export type { Requester, RequesterOptions, RequestOptions } from "./client/requester.ts";
export type { ResponderHandlers } from "./client/responder.ts";
export type { RetryOptions } from "./client/retry.ts";
export type { Sender, SenderOptions, SendMessagesOptions } from "./client/sender.ts";
export type { SessionContext, SessionProcessorOptions } from "./client/session-processor.ts";
export type { SessionReceiver, SessionReceiverOptions } from "./client/session-receiver.ts";
export type { SessionWorkflowOptions, WorkflowHandlers, WorkflowStep } from "./client/session-workflow.ts";
export type { DeadLetterOptions, PropertiesToModify } from "./client/settling.ts";
export type { Tracing } from "./client/tracing.ts";
export { toDeadLetterOptions, withoutDeadLetterMarks } from "./client/dead-lettering.ts";
export type { Attempt } from "./codec/attempt.ts";
export type { Codec, Decoder, Encoder } from "./codec/codec.ts";
export type { WhenUnknown } from "./codec/deserializer-chain.ts";
export type { DecodeLimits } from "./codec/limits.ts";
export type { PayloadStage } from "./codec/payload-stage.ts";
export type { DeserializeResult, ReadResult, UnreadableResult } from "./codec/result.ts";
export type { Message } from "./codec/message.ts";
export { createSerializer, type Serializer, type SerializerOptions } from "./codec/serializer.ts";
export type { QueueOptions, SubscriptionOptions, TopicOptions } from "./engine/admin.ts";
export type { Delivery, ReceiveMode } from "./engine/delivery.ts";
export type { Engine, Transaction } from "./engine/engine.ts";
export type { TopicSetup } from "./engine/entity-setup.ts";
export { memoryEngine, type MemoryEngineOptions } from "./engines/memory/memory-engine.ts";
export type { ApplicationProperties, ApplicationPropertyValue } from "./envelope/application-properties.ts";
export type { BrokerProperties, BrokerPropertiesInit } from "./envelope/broker-properties.ts";
export { envelopeFromJson, envelopeToJson } from "./envelope/envelope-json.ts";
export {
  amend,
  type BodyKind,
  createEnvelope,
  type Envelope,
  type EnvelopeChanges,
  type EnvelopeInit,
} from "./envelope/envelope.ts";
export type { ErrorCode } from "./errors/codes.ts";
export { isSobreError, SobreError, type SobreErrorOptions } from "./errors/sobre-error.ts";
export { defineMessage } from "./message/define-message.ts";
export type { BodyOf, LatestOf, MessageType, MessageTypeOptions, SchemaVersions } from "./message/message-type.ts";
export type { InputOf, OutputOf } from "./message/schema.ts";
export type { Clock, Timer } from "./time/clock.ts";
export type { DurationLike } from "./time/duration.ts";
export { ManualClock } from "./time/manual-clock.ts";
export type { Json } from "./values/json.ts";
