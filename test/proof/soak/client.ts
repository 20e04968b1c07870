import type { Delivery } from "../../../src/core/engine/delivery.ts";
import type { Engine, EngineReceiver } from "../../../src/core/engine/engine.ts";
import { azureEngine } from "../../../src/broker/azure/index.ts";
import { createEnvelope, type Envelope } from "../../../src/core/envelope/index.ts";
import { SobreError } from "../../../src/core/errors/index.ts";
import type { Random } from "../../random.support.ts";

const now = { maxWaitTimeInMs: 0 } as const;

/** A client that does everything that the engine over AMQP and HTTP can ask for, again and again, on one connection. */
export class SoakClient {
  readonly #connectionString: string;
  readonly #name: string;
  readonly #random: Random;
  #engine: Engine;
  #rounds = 0;
  /** How often each operation was done. */
  readonly done: Map<string, number> = new Map();

  constructor(connectionString: string, name: string, random: Random) {
    this.#connectionString = connectionString;
    this.#name = name;
    this.#random = random;
    this.#engine = azureEngine({ connectionString });
  }

  /** Does every operation once. */
  async round(): Promise<void> {
    const round = this.#rounds++;
    await this.#count("send and settle", () => this.#settle());
    await this.#count("schedule and cancel", () => this.#schedule());
    await this.#count("sessions", () => this.#session());
    await this.#count("topic", () => this.#topic());
    await this.#count("transaction", () => this.#transaction(round));
    await this.#count("duplicates", () => this.#duplicates(round));
    if (round % 5 === 0) await this.#count("administration", () => this.#administer());
    if (round % 7 === 0) await this.#count("reconnection", () => this.#reconnect());
  }

  /** Takes out all that is left on an entity. */
  async drain(entity: string): Promise<void> {
    const receiver = await this.#engine.openReceiver(entity, { receiveMode: "receiveAndDelete" });
    while ((await receiver.receive({ maxMessages: 100, maxWaitTimeInMs: 100 })).length > 0);
    await receiver.close();
  }

  close(): Promise<void> {
    return this.#engine.close();
  }

  /** A message or session that another client has taken is missing, which is expected. */
  async #count(what: string, operation: () => Promise<void>): Promise<void> {
    try {
      await operation();
      this.done.set(what, (this.done.get(what) ?? 0) + 1);
    } catch (error) {
      if (!(error instanceof SobreError) || !passing.has(error.code)) throw error;
    }
  }

  #message(sessionId?: string): Envelope {
    const applicationProperties = { round: this.#rounds, client: this.#name };
    return createEnvelope({
      payload: this.#random.bytes(this.#random.integer(2000)),
      brokerProperties: { sessionId, subject: "soak" },
      applicationProperties,
    });
  }

  async #send(entity: string, ...messages: Envelope[]): Promise<void> {
    const sender = await this.#engine.openSender(entity);
    await sender.send(messages);
    await sender.close();
  }

  async #settle(): Promise<void> {
    const engine = this.#engine;
    await this.#send("q", this.#message());
    await this.#send("q", ...Array.from({ length: 8 }, () => this.#message()));
    await engine.peek("q", { maxMessages: 5 });
    const receiver = await engine.openReceiver("q", { receiveMode: "peekLock" });
    const [first, second, third, ...rest] = await receiver.receive({ maxMessages: 9, ...now });
    for (const delivery of rest) await this.#end("q", delivery, "complete");
    if (first?.lockToken !== undefined) await engine.renew("q", first.lockToken);
    if (first !== undefined) await this.#end("q", first, "abandon");
    if (second !== undefined) await this.#end("q", second, "deadLetter");
    if (third !== undefined) {
      await this.#end("q", third, "defer");
      const deferred = await engine.receiveDeferred("q", [third.sequenceNumber], { receiveMode: "peekLock" });
      for (const delivery of deferred) await this.#end("q", delivery, "complete");
    }
    await receiver.close();
    for (const entity of ["q", "q/$DeadLetterQueue"]) {
      const deleting = await engine.openReceiver(entity, { receiveMode: "receiveAndDelete" });
      await deleting.receive({ maxMessages: 5, ...now });
      await deleting.close();
    }
  }

  async #end(
    entity: string,
    { lockToken }: Delivery,
    kind: "complete" | "abandon" | "defer" | "deadLetter",
  ): Promise<void> {
    if (lockToken !== undefined) await this.#engine.settle(entity, lockToken, { kind });
  }

  async #schedule(): Promise<void> {
    const scheduledEnqueueTimeUtc = new Date(Date.now() + 60_000);
    const message = createEnvelope({ payload: new Uint8Array(10), brokerProperties: { scheduledEnqueueTimeUtc } });
    await this.#engine.cancel("q", await this.#engine.schedule("q", [message, message]));
  }

  async #session(): Promise<void> {
    await this.#send("s", this.#message(this.#name), this.#message(this.#name));
    const session = await this.#engine.acceptSession("s", {
      sessionId: undefined,
      receiveMode: "peekLock",
      maxWaitTimeInMs: 100,
    });
    await session.setSessionState(Buffer.from("state"));
    await session.getSessionState();
    await session.renewSessionLock();
    await this.#completeAll("s", session);
    await session.setSessionState(undefined);
    await session.close();
  }

  async #completeAll(entity: string, receiver: EngineReceiver): Promise<void> {
    const deliveries = await receiver.receive({ maxMessages: 10, ...now });
    for (const delivery of deliveries) await this.#end(entity, delivery, "complete");
  }

  async #topic(): Promise<void> {
    const { admin } = this.#engine;
    await admin.createRule("t", "some", this.#name, {
      filter: { kind: "sql", expression: `client = '${this.#name}'` },
    });
    await this.#send("t", this.#message());
    await admin.deleteRule("t", "some", this.#name);
    for (const subscription of ["all", "some"]) {
      const entity = `t/Subscriptions/${subscription}`;
      const receiver = await this.#engine.openReceiver(entity, { receiveMode: "peekLock" });
      await this.#completeAll(entity, receiver);
      await receiver.close();
    }
  }

  async #transaction(round: number): Promise<void> {
    const sender = await this.#engine.openSender("q");
    const transaction = await this.#engine.begin();
    await sender.send([this.#message()], { transaction });
    await (round % 2 === 0 ? transaction.commit() : transaction.rollback());
    await sender.close();
  }

  async #duplicates(round: number): Promise<void> {
    const brokerProperties = { messageId: `${this.#name} ${round}` };
    const message = createEnvelope({ payload: new Uint8Array(1), brokerProperties });
    await this.#send("d", message, message);
    const receiver = await this.#engine.openReceiver("d", { receiveMode: "receiveAndDelete" });
    await receiver.receive({ maxMessages: 2, ...now });
    await receiver.close();
  }

  async #administer(): Promise<void> {
    const { admin } = this.#engine;
    await admin.createQueue(this.#name);
    await this.#send(this.#name, this.#message());
    await admin.getQueueRuntimeProperties(this.#name);
    await admin.deleteQueue(this.#name);
  }

  /** Every other time like a lost connection, which leaves what it has locked to its time. */
  async #reconnect(): Promise<void> {
    const receiver = await this.#engine.openReceiver("q", { receiveMode: "peekLock" });
    await receiver.receive({ maxMessages: 1, ...now });
    await (this.#random.chance(0.5) ? this.#engine.abort() : this.#engine.close());
    this.#engine = azureEngine({ connectionString: this.#connectionString });
  }
}

const passing: ReadonlySet<string> = new Set([
  "ServiceTimeout",
  "MessageLockLost",
  "SessionLockLost",
  "MessageNotFound",
]);
