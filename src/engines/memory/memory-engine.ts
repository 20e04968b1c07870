import {
  type AcceptSessionOptions,
  type Capabilities,
  type Delivery,
  type Engine,
  type EngineAdmin,
  type EngineReceiver,
  type EngineSender,
  type EngineSessionReceiver,
  type LockToken,
  type OpenReceiverOptions,
  parseAddress,
  type PeekOptions,
  type QueueOptions,
  requireCapability,
  type Settlement,
  type Transaction,
} from "../../engine/index.ts";
import { amend, type Envelope } from "../../envelope/index.ts";
import { type Clock, systemClock } from "../../time/index.ts";
import { memoryAdmin } from "./admin.ts";
import { memoryCapabilities } from "./capabilities.ts";
import { deadLetterEnvelope, legalMark } from "./dead-letter.ts";
import { Namespace } from "./namespace.ts";
import { closed, invalidOperation } from "./refusals.ts";
import { MemoryReceiver } from "./receiver.ts";
import { MemorySender } from "./sender.ts";

/** Options of {@link memoryEngine}. */
export interface MemoryEngineOptions {
  /** Where the broker's time comes from. Default: the machine's clock. */
  readonly clock?: Clock | undefined;
  /** Queues to begin with: their names, or options by name. */
  readonly queues?: Readonly<Record<string, QueueOptions>> | readonly string[] | undefined;
}

/**
 * A broker inside the process, with the behaviour of Azure Service Bus.
 *
 * Envelopes are kept by reference, payload included: bytes that are changed after `send` change the message.
 *
 * @throws SobreError `InvalidArgument` naming the queue option.
 */
export function memoryEngine({ clock = systemClock, queues = {} }: MemoryEngineOptions = {}): Engine {
  const namespace = new Namespace(clock);
  const entries: readonly (readonly [string, QueueOptions])[] = isList(queues)
    ? queues.map((name) => [name, {}])
    : Object.entries(queues);
  for (const [name, options] of entries) namespace.createQueue(name, options);
  return new MemoryEngine(namespace);
}

/** @throws SobreError for illegal values. */
function modified(
  envelope: Envelope,
  { propertiesToModify }: Extract<Settlement, { kind: "abandon" | "defer" }>,
): Envelope {
  return propertiesToModify === undefined ? envelope : amend(envelope, { applicationProperties: propertiesToModify });
}

const isList = (queues: Readonly<Record<string, QueueOptions>> | readonly string[]): queues is readonly string[] =>
  Array.isArray(queues);

/** A connection to a namespace: what it locks is released when it closes. */
class MemoryEngine implements Engine {
  readonly name = "memory";
  readonly capabilities: Capabilities = memoryCapabilities;
  readonly admin: EngineAdmin;
  readonly #namespace: Namespace;
  readonly #receivers = new Set<MemoryReceiver>();
  readonly #senders = new Set<MemorySender>();
  #closed = false;

  constructor(namespace: Namespace) {
    this.#namespace = namespace;
    this.admin = memoryAdmin(namespace, () => this.#enter());
  }

  async openSender(entity: string): Promise<EngineSender> {
    this.#enter();
    if (parseAddress(entity).subQueue !== undefined) {
      throw invalidOperation(
        `Nothing can be sent to '${entity}'. Send to the entity itself; its broker fills the sub-queues.`,
      );
    }
    const sender = new MemorySender(this.#namespace, this.#namespace.entity(entity), () =>
      this.#senders.delete(sender),
    );
    this.#senders.add(sender);
    return sender;
  }

  async openReceiver(entity: string, { receiveMode }: OpenReceiverOptions): Promise<EngineReceiver> {
    this.#enter();
    const queue = this.#namespace.queue(entity);
    const link = { receiveMode, holder: this };
    const receiver = new MemoryReceiver(queue, link, () => this.#receivers.delete(receiver));
    this.#receivers.add(receiver);
    return receiver;
  }

  async acceptSession(_entity: string, _options: AcceptSessionOptions): Promise<EngineSessionReceiver> {
    throw this.#refuse("sessions");
  }

  async peek(entity: string, options: PeekOptions): Promise<readonly Delivery[]> {
    this.#enter();
    return this.#namespace.queue(entity).peek(options);
  }

  async receiveDeferred(): Promise<readonly Delivery[]> {
    throw this.#refuse("defer");
  }

  async schedule(): Promise<readonly bigint[]> {
    throw this.#refuse("schedule");
  }

  async cancel(): Promise<void> {
    throw this.#refuse("schedule");
  }

  async settle(entity: string, lockToken: LockToken, settlement: Settlement): Promise<void> {
    const now = this.#enter();
    const queue = this.#namespace.queue(entity);
    const message = queue.held(lockToken);
    switch (settlement.kind) {
      case "complete":
        queue.complete(message);
        return;
      case "abandon":
        queue.abandon(message, modified(message.envelope, settlement), now);
        return;
      case "defer":
        throw this.#refuse("defer");
      case "deadLetter": {
        if (parseAddress(entity).subQueue !== undefined) {
          throw invalidOperation(
            `Nothing is dead-lettered again on '${entity}'. Complete the message or leave it there.`,
          );
        }
        const mark = legalMark({
          reason: settlement.deadLetterReason,
          description: settlement.deadLetterErrorDescription,
          source: undefined,
        });
        const envelope = deadLetterEnvelope(message.envelope, mark, settlement.propertiesToModify);
        queue.deadLetter(message, envelope, mark, now);
        return;
      }
      default:
        settlement satisfies never;
    }
  }

  async renew(entity: string, lockToken: LockToken): Promise<Date> {
    const now = this.#enter();
    return new Date(this.#namespace.queue(entity).renew(lockToken, now));
  }

  async begin(): Promise<Transaction> {
    throw this.#refuse("transactions");
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    const now = this.#namespace.timeline.now();
    this.#closed = true;
    for (const link of [...this.#receivers, ...this.#senders]) await link.close();
    for (const entity of this.#namespace.all()) entity.release(this, now);
  }

  /** The time, after everything due has happened. @throws SobreError `Closed`. */
  #enter(): number {
    if (this.#closed) throw closed("engine");
    return this.#namespace.timeline.now();
  }

  #refuse(capability: keyof Capabilities): Error {
    this.#enter();
    requireCapability(this, capability);
    return invalidOperation(`The memory engine has no ${capability}.`);
  }
}
