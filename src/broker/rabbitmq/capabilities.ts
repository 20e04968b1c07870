import { type Capabilities, nativeCapabilities } from "../../core/engine/capabilities.ts";

const refused = (note: string): { readonly level: "refused"; readonly note: string } => ({ level: "refused", note });
const emulated = (note: string): { readonly level: "emulated"; readonly note: string } => ({ level: "emulated", note });

const noSessions = "RabbitMQ has no sessions; send related messages to one queue with one receiver";
const noNumbers = "RabbitMQ gives messages no numbers";

/** The capabilities of RabbitMQ 3.10 and newer through this engine. */
export const rabbitmqCapabilities: Capabilities = {
  ...nativeCapabilities,
  peekLock: emulated(
    "a lock is an unacknowledged delivery, which ends with its connection too; before 4.3, a released message counts a delivery",
  ),
  renewLock: emulated("up to the broker's consumer_timeout, 30 minutes by default"),
  deadLetter: emulated("the engine copies the message to the dead-letter queue, then acknowledges it: at least once"),
  defer: refused("RabbitMQ cannot return a message by its number"),
  schedule: emulated("in whole seconds, so that a message may come a second late"),
  cancelScheduled: refused("RabbitMQ cannot take back a message that waits"),
  sequenceNumbers: refused(noNumbers),
  peek: refused("RabbitMQ cannot show a message without delivering it, which counts a delivery"),
  timeToLive: emulated("a message that expires after the one in front of it is dropped when a receiver reaches it"),
  sessions: refused(noSessions),
  namedSessions: refused(noSessions),
  nextSession: refused(noSessions),
  sessionState: refused(noSessions),
  topics: {
    level: "native",
    note: "by the exchange type x-jms-topic, whose plugin rabbitmq_jms_topic_exchange must be enabled",
  },
  ruleFilters: {
    level: "native",
    note: "without division, newid() and calculated names; a condition that cannot be evaluated accepts nothing",
  },
  ruleActions: refused("RabbitMQ cannot change a message on its way"),
  duplicateDetection: refused("RabbitMQ keeps no ids; use an inbox, which makes duplicates one"),
  transactions: refused("RabbitMQ has no transactions over several queues"),
  administration: emulated("sizes are 0, and locked messages are counted by the process that holds them"),
  inspect: refused("RabbitMQ does not say which messages a queue has"),
};
