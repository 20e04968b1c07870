import { setImmediate } from "node:timers/promises";
import type { DeliveryState } from "../../../src/wire/amqp/connection/index.ts";
import { tokenOf } from "../../../src/wire/amqp/message/lock-tag.ts";
import { writeMessage } from "../../../src/wire/amqp/message/write-message.ts";
import { lockToken } from "../../../src/core/engine/index.ts";
import { typed } from "../../../src/core/values/typed-makers.ts";
import { AmqpMap } from "../../../src/core/values/typed.ts";
import type { Random } from "../../random.support.ts";
import { type Held, inside, outcomes, type Peer } from "./peer.ts";
import type { Outcome, TransactionRecord } from "./record.ts";
import { source } from "./setup.ts";

/** The names of the outcomes in `update-disposition`. */
const statuses: Readonly<Record<Outcome, string>> = {
  completed: "completed",
  deadLettered: "suspended",
  deferred: "defered",
};
const outcomeNames = Object.keys(outcomes).filter((name) => name in statuses);

/** The discharges of a peer that may wait for their answers at the same time. */
const mostOpen = 8;

/** A transaction that a peer is working on. */
interface Working {
  readonly id: Uint8Array;
  readonly record: TransactionRecord;
  /** Its work, the discharge last. */
  readonly steps: (() => void)[];
  /** Deliveries that a rollback leaves locked, and settled on the wire. */
  readonly kept: Held[];
}

/** The transactions of a peer, most of them written without a pause. */
export class Work {
  readonly #peer: Peer;
  readonly #random: Random;
  readonly #records: TransactionRecord[];
  /** Deliveries whose transactions were rolled back: they can be settled by their lock tokens. */
  readonly #stale: Held[] = [];
  readonly #discharges = new Set<Promise<void>>();
  #messages = 0;
  #transactions = 0;
  #discharged = 0;

  constructor(peer: Peer, random: Random, records: TransactionRecord[]) {
    this.#peer = peer;
    this.#random = random;
    this.#records = records;
  }

  /** Runs so many transactions, or as many as there are until the connection is cut. */
  async run(count: number): Promise<void> {
    while (this.#transactions < count && !this.#peer.isCut) {
      const size = Math.min(1 + this.#random.integer(4), count - this.#transactions);
      this.#transactions += size;
      const ids = await Promise.all(Array.from({ length: size }, () => this.#peer.declare()));
      const working = ids.flatMap((id) => (id === undefined ? [] : [this.#plan(id)]));
      for (let open = working; open.length > 0; open = open.filter(({ steps }) => steps.length > 0)) {
        this.#random.pick(open).steps.shift()?.();
        // A client that reads of a refusal before it commits gets the rest.
        const mayRead = !open.some(({ record }) => record.sabotage !== undefined);
        if (mayRead && this.#random.chance(0.02)) await setImmediate();
      }
      if (this.#discharges.size > mostOpen || this.#random.chance(0.3)) await Promise.all(this.#discharges);
    }
    await Promise.all(this.#discharges);
  }

  #plan(id: Uint8Array): Working {
    const name = `${this.#peer.name} transaction ${this.#records.length}`;
    const rollsBack = this.#random.chance(0.2);
    const record: TransactionRecord = {
      name,
      sent: [],
      ended: [],
      sabotage: undefined,
      rollsBack,
      dischargedAs: Infinity,
      answer: undefined,
    };
    this.#records.push(record);
    const working: Working = { id, record, steps: [], kept: [] };
    const { steps } = working;
    for (let count = this.#random.integer(5); count > 0; count--) steps.push(() => this.#send(working));
    for (let count = this.#random.integer(3); count > 0; count--) steps.push(() => this.#dispose(working));
    if (this.#random.chance(0.15)) steps.push(() => this.#schedule(working));
    if (this.#random.chance(0.15)) steps.push(() => this.#settleStale(working));
    if (this.#random.chance(0.15)) steps.push(() => this.#sabotage(working));
    const shuffled = steps.map((step) => ({ step, at: this.#random.integer(1000) }));
    steps.splice(0, steps.length, ...shuffled.toSorted((left, right) => left.at - right.at).map(({ step }) => step));
    steps.push(() => this.#discharge(working));
    return working;
  }

  #send({ id, record }: Working): void {
    const { link, name, target } = this.#random.pick(this.#peer.senders);
    if (!link.ready) return;
    const messageId = this.#newId();
    record.sent.push({ id: messageId, entities: target.arrivesIn, link: name });
    this.#peer.send(link, messageOf(messageId, target.sessionId), id);
  }

  /** Disposes of a range of deliveries in one frame. */
  #dispose({ id, record, kept }: Working): void {
    const { held } = this.#peer;
    const from = this.#random.integer(held.length);
    const first = held[from];
    if (first === undefined) return;
    let count = 1;
    while (count < 6 && held[from + count]?.session === first.session && held[from + count]?.id === first.id + count)
      count++;
    const range = held.splice(from, 1 + this.#random.integer(count));
    const outcome = this.#outcome();
    for (const { messageId } of range) record.ended.push({ id: messageId, outcome });
    kept.push(...range);
    this.#peer.dispose(first, range.at(-1) ?? first, { ...inside(id), outcome: outcomes[outcome] });
  }

  #schedule({ id, record }: Working): void {
    const messageId = this.#newId();
    const at = new Date(Date.now() + 3_600_000);
    const message = writeMessage({
      messageAnnotations: { "x-opt-scheduled-enqueue-time": at },
      properties: { messageId },
      body: { kind: "data", sections: [Uint8Array.of(1)] },
    });
    if (this.#peer.request("out", "schedule-message", { messages: [new AmqpMap([["message", message]])] }, id))
      record.sent.push({ id: messageId, entities: ["out"], link: undefined });
  }

  #settleStale({ id, record, kept }: Working): void {
    const stale = this.#stale.shift();
    if (stale === undefined) return;
    const outcome = this.#outcome();
    if (!this.#settleByToken(id, tokenOf(stale.tag), outcome)) return;
    record.ended.push({ id: stale.messageId, outcome });
    kept.push(stale);
  }

  /** Returns whether it asked for it. */
  #settleByToken(id: Uint8Array, token: string, outcome: Outcome): boolean {
    const tokens = typed.array("uuid", [lockToken(token)]);
    const body = { "disposition-status": statuses[outcome], "lock-tokens": tokens };
    return this.#peer.request(source, "update-disposition", body, id);
  }

  /** Asks for something that cannot succeed. */
  #sabotage({ id, record, kept }: Working): void {
    const [first] = kept;
    const { small, senders } = this.#peer;
    const links = [small, ...senders.map(({ link }) => link)].filter((link) => link?.ready === true);
    const kind = this.#random.pick(["unreadable", "tooLarge", "notHeld", "settledTwice"] as const);
    const link = kind === "tooLarge" ? small : links[this.#random.integer(links.length)];
    const token = kind === "settledTwice" ? first && tokenOf(first.tag) : crypto.randomUUID();
    const isAsked =
      kind === "unreadable" || kind === "tooLarge"
        ? link?.ready === true
        : token !== undefined && this.#settleByToken(id, token, "completed");
    if (!isAsked) return;
    if (kind === "unreadable" && link !== undefined) this.#peer.send(link, Uint8Array.of(1, 2), id);
    if (kind === "tooLarge" && link !== undefined) this.#peer.send(link, messageOf("large", undefined, 2000), id);
    record.sabotage = kind;
  }

  #discharge({ id, record, kept }: Working): void {
    record.dischargedAs = this.#discharged++;
    const answered = this.#answered(this.#peer.discharge(id, record.rollsBack), record, kept);
    this.#discharges.add(answered);
    void answered.then(() => this.#discharges.delete(answered));
  }

  async #answered(
    discharge: Promise<DeliveryState | undefined>,
    record: TransactionRecord,
    kept: readonly Held[],
  ): Promise<void> {
    const state = await discharge;
    if (state === undefined) return;
    record.answer = state.kind === "accepted" ? "accepted" : "rejected";
    if (record.rollsBack || record.answer === "rejected") this.#stale.push(...kept);
  }

  #outcome(): Outcome {
    const name = this.#random.pick(outcomeNames);
    return name === "deadLettered" || name === "deferred" ? name : "completed";
  }

  #newId(): string {
    return `${this.#peer.name} message ${++this.#messages}`;
  }
}

const messageOf = (messageId: string, groupId: string | undefined, size = 20): Uint8Array =>
  writeMessage({ properties: { messageId, groupId }, body: { kind: "data", sections: [new Uint8Array(size)] } });
