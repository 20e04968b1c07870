export { amqp, type AmqpCodecOptions } from "../codecs/amqp/codec.ts";
export { bytes } from "../codecs/bytes/index.ts";
export { json, type JsonOptions } from "../codecs/json/index.ts";
export { msgpack, type MsgpackOptions } from "../codecs/msgpack/msgpack.ts";
export { protobuf, type ProtobufOptions } from "../codecs/protobuf/protobuf.ts";
export { text, type TextOptions } from "../codecs/text/index.ts";
export type { ClientOptions } from "./client/client/client.ts";
export type { Client } from "./client/client/client-interface.ts";
export { type ConnectedClientOptions, createClient } from "./client/create-client.ts";
export { idempotent, type IdempotentOptions, type InboxClaim } from "./client/client/idempotent.ts";
export { type Inbox, type InboxAnswer, memoryInbox, type MemoryInboxOptions } from "./client/client/inbox.ts";
export type { MessageBatch } from "./client/client/message-batch.ts";
export type { MessageContext } from "./client/client/handling.ts";
export type { ProcessorHandlers } from "./client/client/processor-handlers.ts";
export { openTelemetry, type OpenTelemetryApi, type OpenTelemetrySpan } from "./client/client/open-telemetry.ts";
export type { ErrorSource, ProcessErrorArgs } from "./client/client/process-error.ts";
export type { Processor } from "./client/client/processor-loops.ts";
export type { ProcessorOptions } from "./client/client/processor.ts";
export type { ReadMessage, Received, ReceivedMessage, UnreadableMessage } from "./client/client/received-message.ts";
export type { Receiver } from "./client/client/receiver.ts";
export type { ReceiveMessagesOptions, ReceiverOptions } from "./client/client/receiver-options.ts";
export type { RedriveOptions } from "./client/client/redrive/options.ts";
export type { RedriveReport } from "./client/client/redrive/report.ts";
export { resolveReplyTo } from "./client/client/reply-address.ts";
export type { Requester, RequesterOptions, RequestOptions } from "./client/client/requester.ts";
export type { ResponderHandlers } from "./client/client/responder.ts";
export type { RetryOptions } from "./client/client/retry.ts";
export type { Sender, SenderOptions, SendMessagesOptions } from "./client/client/sender.ts";
export type { SessionContext, SessionProcessorOptions } from "./client/client/session-processor.ts";
export type { SessionReceiver, SessionReceiverOptions } from "./client/client/session-receiver.ts";
export type { SessionWorkflowOptions, WorkflowHandlers, WorkflowStep } from "./client/client/session-workflow.ts";
export type { DeadLetterOptions, PropertiesToModify } from "./client/client/settling.ts";
export type { Tracing } from "./client/client/tracing.ts";
export { toDeadLetterOptions, withoutDeadLetterMarks } from "./client/client/dead-lettering.ts";
export type { Attempt } from "./core/codec/attempt.ts";
export type { Codec, Decoder, Encoder } from "./core/codec/codec.ts";
export type { WhenUnknown } from "./core/codec/deserializer-chain.ts";
export type { DecodeLimits } from "./core/codec/limits.ts";
export type { PayloadStage } from "./core/codec/payload-stage.ts";
export type { DeserializeResult, ReadResult, UnreadableResult } from "./core/codec/result.ts";
export type { Message } from "./core/codec/message.ts";
export { createSerializer, type Serializer, type SerializerOptions } from "./core/codec/serializer.ts";
export type { QueueOptions, SubscriptionOptions, TopicOptions } from "./core/engine/admin.ts";
export type { Delivery, ReceiveMode } from "./core/engine/delivery.ts";
export type { Engine, Transaction } from "./core/engine/engine.ts";
export type { TopicSetup } from "./core/engine/entity-setup.ts";
export { memoryEngine, type MemoryEngineOptions } from "./broker/memory/memory-engine.ts";
export type { ApplicationProperties, ApplicationPropertyValue } from "./core/envelope/application-properties.ts";
export type { BrokerProperties, BrokerPropertiesInit } from "./core/envelope/broker-properties.ts";
export { envelopeFromJson, envelopeToJson } from "./core/envelope/envelope-json.ts";
export {
  amend,
  type BodyKind,
  createEnvelope,
  type Envelope,
  type EnvelopeChanges,
  type EnvelopeInit,
} from "./core/envelope/envelope.ts";
export type { ErrorCode } from "./core/errors/codes.ts";
export { isSobreError, SobreError, type SobreErrorOptions } from "./core/errors/sobre-error.ts";
export { defineMessage } from "./core/message/define-message.ts";
export type { BodyOf, LatestOf, MessageType, MessageTypeOptions, SchemaVersions } from "./core/message/message-type.ts";
export type { InputOf, OutputOf } from "./core/message/schema.ts";
export type { Clock, Timer } from "./core/time/clock.ts";
export type { DurationLike } from "./core/time/duration.ts";
export { ManualClock } from "./core/time/manual-clock.ts";
export type { Json } from "./core/values/json.ts";
