import type { Settlement } from "../../../src/core/engine/delivery.ts";
import type { EngineReceiver, EngineSender, Transaction } from "../../../src/core/engine/engine.ts";
import { type Acknowledgement, describe, type Effects, type Seen } from "./acknowledgements.ts";
import type { Calls } from "./calls.ts";
import { arrival, arrived, deadOf, effect, gone, idOf, type Known, merged, named } from "./known.ts";
import { manageQueue, manageTopic } from "./manage.ts";

/** Calls an engine in every way and in random order, on queues of its own, and knows what its calls do there. */
export class Caller {
  readonly #calls: Calls;
  readonly #queue: string;
  readonly #meeting: string;
  readonly #work: string;
  readonly #senders = new Map<string, Promise<EngineSender>>();
  readonly #receivers = new Map<string, Promise<EngineReceiver>>();
  /** In the order in which they are received. */
  #active: Known[] = [];
  #held: Known[] = [];
  #deferred: Known[] = [];
  #scheduled: Known[] = [];
  #dead: Known[] = [];

  constructor(calls: Calls) {
    this.#calls = calls;
    this.#queue = `queue-${calls.name}`;
    this.#meeting = `meeting-${calls.name}`;
    this.#work = `work-${calls.name}`;
  }

  async run(): Promise<never> {
    const { admin } = this.#calls.engine;
    const settings = { lockDuration: 300_000, maxDeliveryCount: 1000 };
    const detecting = { ...settings, requiresDuplicateDetection: true, userMetadata: "made" };
    for (const address of [this.#queue, this.#meeting])
      await this.#calls.call("create a queue", { [`entity ${address}`]: "made" }, () =>
        admin.createQueue(address, detecting),
      );
    await this.#calls.call("create a queue", { [`entity ${this.#work}`]: "made" }, () =>
      admin.createQueue(this.#work, { ...settings, requiresSession: true, userMetadata: "made" }),
    );
    const turns = [
      () => this.#send(),
      () => this.#send(),
      () => this.#receive(),
      () => this.#receive(),
      () => this.#settle(),
      () => this.#settle(),
      () => this.#settle(),
      () => this.#settle(),
      () => this.#settle(),
      () => this.#receiveDeferred(),
      () => this.#receiveDeferred(),
      () => this.#receiveDeferred(),
      () => this.#receiveDead(),
      () => this.#take(),
      () => this.#meet(),
      () => this.#meet(),
      () => this.#schedule(),
      () => this.#cancel(),
      () => this.#transact(),
      () => this.#delete(),
      () => this.#session(),
      () => manageQueue(this.#calls),
      () => manageTopic(this.#calls),
    ];
    for (;;) await this.#calls.random.pick(turns)();
  }

  async #sender(address: string): Promise<EngineSender> {
    const link = this.#senders.get(address) ?? this.#calls.engine.openSender(address);
    this.#senders.set(address, link);
    return link;
  }

  async #receiver(address: string, receiveMode: "peekLock" | "receiveAndDelete" = "peekLock"): Promise<EngineReceiver> {
    const key = `${address} ${receiveMode}`;
    const link = this.#receivers.get(key) ?? this.#calls.engine.openReceiver(address, { receiveMode });
    this.#receivers.set(key, link);
    return link;
  }

  async #send(): Promise<void> {
    if (this.#active.length > 12) return this.#receive();
    const messages = Array.from({ length: 1 + this.#calls.random.integer(3) }, () => this.#calls.message());
    const known = messages.map((message) => arrived(this.#queue, message));
    const sender = await this.#sender(this.#queue);
    await this.#calls.call("send", arrival(known), () => sender.send(messages));
    this.#active.push(...known);
  }

  /** Receives messages that are known to come, under peek-lock. */
  async #handOver(
    kind: string,
    from: readonly Known[],
    call: () => ReturnType<EngineReceiver["receive"]>,
  ): Promise<void> {
    const effects = merged(from.map((one) => effect(one, { delivered: true })));
    const deliveries = await this.#calls.call(kind, effects, call, (all) =>
      all.map(({ envelope, sequenceNumber }, index) => [
        from[index]?.address ?? "",
        idOf(envelope),
        String(sequenceNumber),
      ]),
    );
    for (const [index, one] of from.entries()) {
      const { envelope, lockToken: token, sequenceNumber: number = 0n } = deliveries[index] ?? {};
      if (envelope === undefined || idOf(envelope) !== one.id || token === undefined)
        throw new Error(`${kind} did not give ${one.id}: ${deliveries.map((all) => idOf(all.envelope)).join()}.`);
      this.#held.push({ ...one, seen: { ...one.seen, delivered: true }, token, number });
    }
  }

  async #receive(): Promise<void> {
    if (this.#active.length === 0) return;
    const from = this.#active.splice(0, 1 + this.#calls.random.integer(2));
    const receiver = await this.#receiver(this.#queue);
    await this.#handOver("receive", from, () => receiver.receive({ maxMessages: from.length, maxWaitTimeInMs: 0 }));
  }

  async #receiveDeferred(): Promise<void> {
    const one = this.#deferred.pop();
    if (one === undefined) return;
    await this.#handOver("receiveDeferred", [one], () =>
      this.#calls.engine.receiveDeferred(one.address, [one.number], { receiveMode: "peekLock" }),
    );
  }

  async #receiveDead(): Promise<void> {
    const one = this.#dead.shift();
    if (one === undefined) return;
    const receiver = await this.#receiver(one.address);
    await this.#handOver("receive a dead letter", [one], () =>
      receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 0 }),
    );
  }

  async #take(): Promise<void> {
    const from = this.#active.splice(0, 2);
    if (from.length === 0) return;
    const receiver = await this.#receiver(this.#queue, "receiveAndDelete");
    await this.#calls.call("receive and delete", gone(...from), () =>
      receiver.receive({ maxMessages: from.length, maxWaitTimeInMs: 0 }),
    );
  }

  /** A message meets a receive that waits for it. */
  async #meet(): Promise<void> {
    const message = this.#calls.message();
    const one = arrived(this.#meeting, message);
    const receiveMode = this.#calls.random.pick(["peekLock", "receiveAndDelete"] as const);
    const [receiver, sender] = await Promise.all([
      this.#receiver(this.#meeting, receiveMode),
      this.#sender(this.#meeting),
    ]);
    const receive = (): ReturnType<EngineReceiver["receive"]> =>
      receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 60_000 });
    const isKept = receiveMode === "peekLock";
    const met = isKept ? describe({ ...one.seen, delivered: true }) : "";
    const sent = { [named(one)]: `${describe(one.seen)}|${met}`, [`seen ${one.address} ${one.id}`]: "1" };
    await Promise.all([
      isKept
        ? this.#handOver("receive by waiting", [one], receive)
        : this.#calls.call("receive and delete by waiting", gone(one), receive),
      this.#calls.call("send to a waiting receive", sent, () => sender.send([message])),
    ]);
    const held = isKept ? this.#held.pop() : undefined;
    if (held !== undefined) await this.#settleOne(held, "complete");
  }

  async #settle(): Promise<void> {
    const kinds = ["complete", "abandon", "defer", "defer", "deadLetter", "release"] as const;
    const [one] = this.#held.splice(this.#calls.random.integer(this.#held.length), 1);
    if (one === undefined) return;
    const kind = one.address.includes("$") ? "complete" : this.#calls.random.pick(kinds);
    const [effects, next] = this.#settlement(one, kind);
    await this.#settleOne(one, kind, effects);
    next();
  }

  /** The effects of a settlement, and how the caller remembers it. */
  #settlement(one: Known, kind: Settlement["kind"]): readonly [Effects, () => void] {
    const mark = this.#calls.random.chance(0.5) ? `mark-${this.#calls.next()}` : one.seen.mark;
    const settled = (change: Partial<Seen>): Known => ({
      ...one,
      seen: { ...one.seen, delivered: false, mark: kind === "release" ? one.seen.mark : mark, ...change },
      token: undefined,
    });
    const deliveryCount = one.seen.deliveryCount + 1;
    const back = settled(kind === "release" ? {} : { deliveryCount });
    switch (kind) {
      case "complete":
        return [gone(one), () => {}];
      case "abandon":
      case "release": {
        const list = one.seen.state === "deferred" ? this.#deferred : this.#active;
        return [effect(back, {}), () => this.#return(list, back)];
      }
      case "defer": {
        const deferred = settled({ deliveryCount, state: "deferred" });
        return [effect(deferred, {}), () => this.#deferred.push(deferred)];
      }
      case "deadLetter": {
        const dead = { ...settled({ state: "active" }), address: deadOf(one.address) };
        return [{ ...gone(one), ...effect(dead, {}) }, () => this.#dead.push(dead)];
      }
      default:
        return kind satisfies never;
    }
  }

  /** Messages that come back are received before those that were never delivered, in the order of their numbers. */
  #return(list: Known[], back: Known): void {
    const at = list.findIndex(({ number }) => number === 0n || number > back.number);
    list.splice(at === -1 ? list.length : at, 0, back);
  }

  async #settleOne(
    one: Known,
    kind: Settlement["kind"],
    effects: Effects = gone(one),
    transaction?: Transaction,
  ): Promise<void> {
    const { token } = one;
    if (token === undefined) throw new Error(`${one.id} is not held.`);
    const mark = /mark-\d+/.exec(Object.values(effects).join(" "))?.[0];
    const settlement = mark === undefined || kind === "release" ? { kind } : { kind, propertiesToModify: { mark } };
    const settle = (): Promise<void> => this.#calls.engine.settle(one.address, token, settlement, { transaction });
    await (transaction === undefined ? this.#calls.call(kind, effects, settle) : settle());
  }

  async #schedule(): Promise<void> {
    if (this.#scheduled.length > 4) return this.#cancel();
    const message = this.#calls.message({ scheduledEnqueueTimeUtc: new Date(Date.now() + 3_600_000) });
    const one = arrived(this.#queue, message, { state: "scheduled" });
    const numbered = (all: readonly bigint[]): Acknowledgement["numbers"] =>
      all.map((number) => [one.address, one.id, String(number)]);
    const schedule = (): Promise<readonly bigint[]> => this.#calls.engine.schedule(one.address, [message]);
    const [number = 0n] = await this.#calls.call("schedule", arrival([one]), schedule, numbered);
    this.#scheduled.push({ ...one, number });
  }

  async #cancel(): Promise<void> {
    const one = this.#scheduled.shift();
    if (one !== undefined)
      await this.#calls.call("cancel", gone(one), () => this.#calls.engine.cancel(one.address, [one.number]));
  }

  async #transact(): Promise<void> {
    const transaction = await this.#calls.engine.begin();
    const message = this.#calls.message();
    const come = arrived(this.#queue, message);
    await (await this.#sender(this.#queue)).send([message], { transaction });
    const effects = [arrival([come])];
    const nexts: (() => void)[] = [];
    const settled = this.#held.splice(0, 2);
    for (const one of settled) {
      const kind = one.address.includes("$")
        ? "complete"
        : this.#calls.random.pick(["complete", "defer", "deadLetter"] as const);
      const [changed, next] = this.#settlement(one, kind);
      await this.#settleOne(one, kind, changed, transaction);
      effects.push(changed);
      nexts.push(next);
    }
    if (this.#calls.random.chance(0.2)) {
      await this.#calls.call("roll back", merged(settled.map((one) => effect(one, {}))), () => transaction.rollback());
      this.#held.push(...settled);
      return;
    }
    await this.#calls.call("commit a transaction", merged(effects), () => transaction.commit());
    for (const next of nexts) next();
    this.#active.push(come);
  }

  /** Deletes what nobody holds and is not scheduled. */
  async #delete(): Promise<void> {
    if (this.#calls.random.chance(0.5)) return;
    const deleted = [...this.#active, ...this.#deferred];
    await this.#calls.call("delete messages", gone(...deleted), () =>
      this.#calls.engine.deleteMessages(this.#queue, { maxMessages: deleted.length + 1 }),
    );
    this.#active = [];
    this.#deferred = [];
  }

  async #session(): Promise<void> {
    const sessionId = `session-${this.#calls.random.integer(3)}`;
    const message = this.#calls.message({ sessionId });
    const one = arrived(this.#work, message);
    const sender = await this.#sender(this.#work);
    await this.#calls.call("send to a session", effect(one, {}), () => sender.send([message]));
    const options = { receiveMode: "peekLock", sessionId, maxWaitTimeInMs: 0 } as const;
    const session = await this.#calls.engine.acceptSession(this.#work, options);
    const held = this.#held;
    this.#held = [];
    await this.#handOver("receive from a session", [one], () =>
      session.receive({ maxMessages: 1, maxWaitTimeInMs: 0 }),
    );
    const [received] = this.#held;
    this.#held = held;
    const state = `state-${this.#calls.next()}`;
    const name = `state ${this.#work} ${sessionId}`;
    await this.#calls.call("set a session's state", { [name]: state }, () =>
      session.setSessionState(Buffer.from(state)),
    );
    if (received !== undefined) await this.#settleOne(received, "complete");
    if (this.#calls.random.chance(0.5))
      await this.#calls.call("clear a session's state", { [name]: "" }, () => session.setSessionState(undefined));
    await session.close();
  }
}
