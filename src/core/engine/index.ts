export {
  checkEntityName,
  type EntityAddress,
  parseAddress,
  type SubQueue,
  subQueueSuffix,
  subscriptionAddress,
} from "./address.ts";
export type {
  EngineAdmin,
  EntityOptions,
  EntityStatus,
  EntityTimes,
  QueueOptions,
  QueueRuntimeProperties,
  ReceivableOptions,
  SendableOptions,
  SubscriptionOptions,
  TopicOptions,
  TopicRuntimeProperties,
} from "./admin.ts";
export type { EntitySetup, TopicSetup } from "./entity-setup.ts";
export { propertyNames, type PropertyNames } from "../envelope/property-names.ts";
export { deliveryFromJson, deliveryToJson } from "./delivery-json.ts";
export { boundedSender } from "./bounded-sender.ts";
export { type Capabilities, type Capability, requireCapability, type Support } from "./capabilities.ts";
export {
  type Delivery,
  deadLetterProperties,
  type LockToken,
  lockToken,
  type MessageState,
  type Modification,
  type ReceiveMode,
  type Settlement,
} from "./delivery.ts";
export type {
  AcceptSessionOptions,
  ConnectOptions,
  DeleteOptions,
  Engine,
  EngineReceiver,
  EngineSender,
  EngineSessionReceiver,
  ListSessionsOptions,
  OpenReceiverOptions,
  OpenSenderOptions,
  PeekOptions,
  ReceiveDeferredOptions,
  ReceiveOptions,
  SendOptions,
  Transaction,
  TransactionOption,
} from "./engine.ts";
export {
  type DeadLetterSum,
  type DeadLetterSums,
  type EngineInspection,
  inspectionOf,
  type InspectSessionsOptions,
  refusedInspection,
  type SessionInspection,
  type StateCounts,
  type SumDeadLettersOptions,
} from "./inspection.ts";
export {
  checkFixed,
  type EntitySettings,
  queueSettings,
  type QueueSettings,
  type ReceivableSettings,
  type SendableSettings,
  subscriptionSettings,
  type SubscriptionSettings,
  topicSettings,
  type TopicSettings,
} from "./entity-settings.ts";
export {
  type BooleanFilter,
  type CorrelationFilter,
  correlationProperties,
  type CorrelationProperty,
  defaultRuleName,
  type RuleAction,
  type OfficialRuleAction,
  type OfficialRuleFilter,
  type RuleFilter,
  type RuleInit,
  type RuleProperties,
  type SqlFilter,
} from "./rules.ts";
export {
  type MessageId,
  maxIdLength,
  readOnlyProperties,
  type ReadOnlyProperty,
} from "../envelope/broker-properties.ts";
export type { Origin } from "../envelope/envelope.ts";
export { maxHeaderSize } from "../envelope/limits.ts";
export { sizeOf } from "../envelope/size-of.ts";
export { type ErrorTraits, errorTraits, isErrorCode } from "../errors/traits.ts";
export { type Clock, systemClock, type Timer } from "../time/clock.ts";
export { type DurationLike, toMilliseconds } from "../time/duration.ts";
