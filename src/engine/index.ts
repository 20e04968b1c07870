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
export { boundSends } from "./bounded-sender.ts";
export { type Capabilities, type Capability, requireCapability, type Support } from "./capabilities.ts";
export {
  type Delivery,
  deadLetterProperties,
  type LockToken,
  lockToken,
  type MessageState,
  type ReceiveMode,
  type Settlement,
} from "./delivery.ts";
export type {
  AcceptSessionOptions,
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
  type RuleFilter,
  type RuleProperties,
  type SqlFilter,
} from "./rules.ts";
