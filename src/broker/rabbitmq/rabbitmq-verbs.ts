import { type Capabilities, type Capability, requireCapability } from "../../core/engine/capabilities.ts";
import type { Delivery, LockToken, ReceiveMode, Settlement } from "../../core/engine/delivery.ts";
import type { DeleteOptions, ReceiveOptions, Transaction } from "../../core/engine/engine.ts";
import type { DeadLetterSums, SessionInspection, StateCounts } from "../../core/engine/inspection.ts";
import { entityDisabled, entityNotFound, lockLost, messageTooLarge } from "../../core/engine/refusals.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import type { EntityMeasure } from "../policy/administration.ts";
import type { BrokerVerbs, SessionLink } from "../policy/broker-verbs.ts";
import type { Directory, EntityLookup } from "../policy/directory.ts";
import { sizeOfEnvelope } from "../../core/envelope/size-of.ts";
import { checkHeaderSize } from "../../core/envelope/limits.ts";
import type { SendableEntity } from "../policy/entities.ts";
import type { EntityChange } from "../policy/entity-changes.ts";
import type { SendRoute } from "../policy/router.ts";
import { decideSettlement } from "../policy/settlement.ts";
import { rabbitmqCapabilities } from "./capabilities.ts";
import type { BrokerQueue, EntityAge, KnownEntity } from "./entities.ts";
import { RabbitmqLink } from "./links.ts";
import type { HeldMessage } from "./locks.ts";
import type { RabbitmqHome } from "./rabbitmq-home.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";

/** The verbs of a connection, carried out by RabbitMQ. */
export class RabbitmqVerbs implements BrokerVerbs<EntityAge, BrokerQueue, never, RabbitmqLink> {
  readonly name = "rabbitmq";
  readonly capabilities: Capabilities = rabbitmqCapabilities;
  readonly #home: RabbitmqHome;

  constructor(home: RabbitmqHome) {
    this.#home = home;
  }

  catchUp(): Promise<void> | undefined {
    return this.#home.log.isFollowed ? undefined : this.#home.log.refresh();
  }

  now(): number {
    return this.#home.clock.now();
  }

  async find<T>(look: (entities: Directory<EntityAge, BrokerQueue>) => T): Promise<T> {
    return this.#lookTwice(() => look(this.#home.log));
  }

  knownQueue(address: string): BrokerQueue | undefined {
    const { log } = this.#home;
    return log.knows(address) ? log.queue(address) : undefined;
  }

  async look<T>(find: (entities: EntityLookup<EntityAge>) => T): Promise<T> {
    await this.#home.log.refresh();
    return find(this.#home.log);
  }

  async change(decide: (entities: EntityLookup<EntityAge>) => EntityChange<EntityAge>): Promise<void> {
    const { log, topology } = this.#home;
    const change = await log.change(decide, (decided) => topology.prepare(log, decided), this.now());
    await topology.finish(change);
  }

  async measure(entity: KnownEntity): Promise<EntityMeasure> {
    const { createdAt, modifiedAt, address } = entity;
    const times = {
      createdAt: new Date(createdAt),
      modifiedAt: new Date(modifiedAt),
      accessedAt: new Date(modifiedAt),
    };
    const nothing = { messages: 0, scheduled: 0, deadLetters: 0, transferDeadLetters: 0, bytes: 0 };
    if (entity.type === "topic") return { ...nothing, ...times };
    const count = async (part: string): Promise<number> => {
      const queue = this.#home.log.queue(`${address}${part}`);
      const held = this.#home.locks.filter((message) => message.queue === queue).length;
      return held + (await this.#home.topology.ready(queue.name, queue.address));
    };
    const [messages, deadLetters] = [await count(""), await count("/$DeadLetterQueue")];
    return { ...nothing, messages, deadLetters, ...times };
  }

  async clear(find: (entities: EntityLookup<EntityAge>) => KnownEntity): Promise<void> {
    const entity = find(this.#home.log);
    await this.#home.releaseAll(({ queue }) => queue.entity === entity);
    await this.#home.topology.purge(entity);
  }

  maxMessageSize({ settings }: SendableEntity<EntityAge>): number {
    return settings.maxMessageSizeInBytes;
  }

  async send({ target, through }: SendRoute<EntityAge>, envelopes: readonly Envelope[]): Promise<void> {
    if (through !== undefined) this.#refuse("transactions");
    this.#checkSend(target, envelopes);
    if (envelopes.length > 0) await this.#home.send(target, envelopes);
  }

  sendIn(): void {
    this.#refuse("transactions");
  }

  openReceiver(queue: BrokerQueue, receiveMode: ReceiveMode): RabbitmqLink {
    if (queue.part === "transferDeadLetters") this.#refuse("transactions");
    return new RabbitmqLink(this.#home, this, queue, receiveMode);
  }

  receive(link: RabbitmqLink, options: ReceiveOptions): Promise<readonly Delivery[]> {
    return link.receive(options);
  }

  endReceives(link: RabbitmqLink): void {
    link.endReceives();
  }

  releaseLink(link: RabbitmqLink): Promise<void> {
    return link.release();
  }

  acceptSession(): Promise<RabbitmqLink & SessionLink> {
    return this.#refuse("sessions");
  }

  renewSession(): void {
    this.#refuse("sessions");
  }

  sessionState(): Uint8Array | undefined {
    return this.#refuse("sessionState");
  }

  setSessionState(): void {
    this.#refuse("sessionState");
  }

  /** Nothing is deleted when idle. */
  used(): void {}

  peek(): readonly Delivery[] {
    return this.#refuse("peek");
  }

  receiveDeferred(): readonly Delivery[] {
    return this.#refuse("defer");
  }

  async schedule(entity: SendableEntity<EntityAge>, envelopes: readonly Envelope[]): Promise<readonly bigint[]> {
    await this.send({ target: entity, through: undefined }, envelopes);
    return envelopes.map(() => 0n);
  }

  cancel(): void {
    this.#refuse("cancelScheduled");
  }

  async settle(queue: BrokerQueue, lockToken: LockToken, settlement: Settlement): Promise<void> {
    const held = this.#held(queue, lockToken);
    if (settlement.kind === "defer") this.#refuse("defer");
    const change = this.#changeOf(held, settlement);
    // Nobody else settles it meanwhile.
    this.#home.locks.remove(held);
    try {
      await change();
      await held.channel.flush();
    } catch (error) {
      this.#home.locks.restore(held);
      throw error;
    }
  }

  /** Checks a settlement, and returns the work that it takes. */
  #changeOf(held: HeldMessage, settlement: Settlement): () => Promise<void> {
    const { queue, channel, message } = held;
    if (settlement.kind === "complete") return async () => channel.acknowledge(message);
    if (settlement.kind === "release") return async () => channel.returnMessage(message);
    // The receiver may have written into the envelope that it was given, so it is read again.
    const arrival = { ...held, received: this.#home.read(queue, message) };
    const before = arrival.received.envelope;
    const decided = decideSettlement(queue, before, settlement, ({ brokerProperties, applicationProperties }) =>
      checkHeaderSize(brokerProperties, applicationProperties),
    );
    return async () => {
      if (decided.kind === "deadLetter") await this.#home.bury(arrival, decided.envelope, decided.deadLetter);
      if (decided.kind === "abandon") {
        const isLast = held.deliveryCount + 1 >= queue.maxDeliveryCount;
        if (isLast || decided.envelope === before) return this.#home.giveBack(held, decided.envelope);
        await this.#home.republish(arrival, decided.envelope);
      }
      channel.acknowledge(message);
    };
  }

  settleIn(): void {
    this.#refuse("transactions");
  }

  renew(queue: BrokerQueue, lockToken: LockToken): Date {
    const held = this.#held(queue, lockToken);
    const until = this.now() + queue.lockDuration;
    this.#home.locks.renew(held, until);
    return new Date(until);
  }

  async deleteMessages(queue: BrokerQueue, { maxMessages, beforeEnqueueTime }: DeleteOptions): Promise<number> {
    if (beforeEnqueueTime !== undefined) this.#refuse("peek");
    const link = new RabbitmqLink(this.#home, this, queue, "receiveAndDelete");
    let deleted = 0;
    try {
      while (deleted < maxMessages) {
        const some = await link.receive({ maxMessages: Math.min(maxMessages - deleted, 100), maxWaitTimeInMs: 0 });
        if (some.length === 0) break;
        deleted += some.length;
      }
    } finally {
      await link.release();
    }
    return deleted;
  }

  listSessions(): readonly string[] {
    return this.#refuse("sessions");
  }

  counts(): StateCounts {
    return this.#refuse("inspect");
  }

  sessions(): readonly SessionInspection[] {
    return this.#refuse("inspect");
  }

  deadLetters(): DeadLetterSums {
    return this.#refuse("inspect");
  }

  begin(): never {
    return this.#refuse("transactions");
  }

  foreign(_transaction: Transaction): undefined {
    return this.#refuse("transactions");
  }

  connect(): RabbitmqVerbs {
    return new RabbitmqVerbs(this.#home);
  }

  async release(linksClosed: Promise<unknown>): Promise<void> {
    await linksClosed;
    await this.#home.releaseAll(({ owner }) => owner === this);
  }

  #checkSend(target: SendableEntity<EntityAge>, envelopes: readonly Envelope[]): void {
    const { address, settings } = target;
    if (this.#home.log.find(address) !== target) throw entityNotFound(address);
    const { status } = settings;
    if (status === "Disabled" || status === "SendDisabled") throw entityDisabled(address, status);
    const limit = this.maxMessageSize(target);
    for (const envelope of envelopes) {
      const size = sizeOfEnvelope(envelope);
      if (size > limit) throw messageTooLarge(size, limit, address);
    }
  }

  #held(queue: BrokerQueue, lockToken: LockToken): HeldMessage {
    const held = this.#home.locks.find(lockToken);
    if (held === undefined || held.queue.name !== queue.name) throw lockLost(queue.address);
    return held;
  }

  #refuse(capability: Capability): never {
    requireCapability(this, capability);
    throw new SobreError("UnsupportedCapability", `The engine "rabbitmq" does not support ${capability}.`);
  }

  /** Another process may have just created what is missing here. */
  async #lookTwice<T>(look: () => T): Promise<T> {
    try {
      return look();
    } catch (error) {
      if (!(error instanceof SobreError) || error.code !== "MessagingEntityNotFound") throw error;
      await this.#home.log.refresh();
      return look();
    }
  }
}
