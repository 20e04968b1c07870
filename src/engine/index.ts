export {
  checkEntityName,
  type EntityAddress,
  parseAddress,
  type SubQueue,
  subQueueSuffix,
  subscriptionAddress,
} from "./address.ts";
export type { EngineAdmin, QueueOptions, QueueRuntimeProperties } from "./admin.ts";
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
  Engine,
  EngineReceiver,
  EngineSender,
  EngineSessionReceiver,
  OpenReceiverOptions,
  PeekOptions,
  ReceiveOptions,
  Transaction,
  TransactionOption,
} from "./engine.ts";
export { queueSettings, type QueueSettings } from "./queue-settings.ts";
