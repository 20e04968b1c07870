import { writeMessage } from "../../wire/amqp/message/write-message.ts";
import type { DeliveryState } from "../../wire/amqp/connection/delivery-state.ts";
import type { SendingLink } from "../../wire/amqp/connection/sending-link.ts";
import type { Transaction } from "../../core/engine/engine.ts";
import { typed } from "../../core/values/typed-makers.ts";
import type { AmqpValue } from "../../core/values/typed.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { brokerError } from "./broker-errors.ts";
import type { ClientSession } from "./client-connection.ts";
import { openSending } from "./open-link.ts";
import { inTime, type Timing } from "./timing.ts";

/** Descriptor codes of what a coordinator is asked (AMQP 1.0 part 4.5). */
const code = { declare: 0x31, discharge: 0x32 } as const;

interface Asking {
  readonly payload: Uint8Array;
  readonly resolve: (state: DeliveryState | undefined) => void;
  readonly reject: (error: SobreError) => void;
}

/** The link to the coordinator of a connection's transactions. */
export class Coordinator {
  readonly #queue: Asking[] = [];
  readonly #asked = new Set<Asking>();
  readonly #timing: Timing;
  #link: SendingLink | undefined;
  #tag = 0;
  #gone: SobreError | undefined;

  private constructor(timing: Timing) {
    this.#timing = timing;
  }

  /** Opens the link. @throws SobreError as the broker refuses. */
  static async open(session: ClientSession, timing: Timing): Promise<Coordinator> {
    const own = new Coordinator(timing);
    own.#link = await openSending(session, {
      name: `coordinator-${crypto.randomUUID()}`,
      timing,
      setup: { source: { kind: "source" }, target: { kind: "coordinator" }, sndSettleMode: 0 },
      events: {
        flowed: () => own.#pump(),
        disposed: (state, context) => own.#answered(state, context),
        gone: (error) => own.#end(error),
        closed: () => session.end(),
      },
    });
    own.#pump();
    return own;
  }

  /** Whether it can still be asked. */
  get usable(): boolean {
    return this.#gone === undefined;
  }

  /** Begins a transaction; resolves to its id. */
  async declare(): Promise<Uint8Array> {
    const state = await this.#ask(code.declare, []);
    if (state?.kind === "declared") return state.transactionId;
    throw new SobreError("GeneralError", "The broker began a transaction without an id.");
  }

  /** Ends a transaction: commits it, or rolls it back. */
  async discharge(id: Uint8Array, fail: boolean): Promise<void> {
    await this.#ask(code.discharge, [id, fail]);
  }

  #ask(descriptor: number, fields: readonly AmqpValue[]): Promise<DeliveryState | undefined> {
    if (this.#gone !== undefined) return Promise.reject(this.#gone);
    const value = typed.described(typed.ulong(descriptor), fields);
    const answered = new Promise<DeliveryState | undefined>((resolve, reject) => {
      this.#queue.push({ payload: writeMessage({ body: { kind: "value", value } }), resolve, reject });
      this.#pump();
    });
    return inTime(this.#timing, "a transaction", answered);
  }

  #pump(): void {
    const link = this.#link;
    if (link === undefined) return;
    while (link.ready) {
      const next = this.#queue.shift();
      if (next === undefined) return;
      this.#asked.add(next);
      const tag = Buffer.alloc(4);
      tag.writeUInt32BE(this.#tag++ >>> 0);
      link.send({ payload: next.payload, tag, settled: false, context: next });
    }
  }

  #answered(state: DeliveryState | undefined, context: unknown): void {
    for (const asking of this.#asked) {
      if (asking !== context) continue;
      this.#asked.delete(asking);
      if (state?.kind === "rejected") asking.reject(brokerError(state.error ?? { condition: "amqp:internal-error" }));
      else asking.resolve(state);
    }
  }

  #end(error: SobreError): void {
    this.#gone = error;
    for (const { reject } of [...this.#asked, ...this.#queue.splice(0)]) reject(error);
    this.#asked.clear();
  }
}

/** A transaction of a broker, on the connection that declared it. */
export class AzureTransaction implements Transaction {
  readonly #id: Uint8Array;
  readonly #coordinator: Coordinator;

  readonly #onEnd: (ended: AzureTransaction) => void;

  /** @param onEnd Called when it begins to end. */
  constructor(id: Uint8Array, coordinator: Coordinator, onEnd: (ended: AzureTransaction) => void) {
    this.#id = id;
    this.#coordinator = coordinator;
    this.#onEnd = onEnd;
  }

  commit(): Promise<void> {
    return this.#discharge(false);
  }

  rollback(): Promise<void> {
    return this.#discharge(true);
  }

  #discharge(fail: boolean): Promise<void> {
    this.#onEnd(this);
    return this.#coordinator.discharge(this.#id, fail);
  }

  /** The delivery state that makes an outcome or message part of it. */
  state(outcome?: DeliveryState): DeliveryState {
    const inner = outcome?.kind === "received" || outcome?.kind === "transactional" ? undefined : outcome;
    return { kind: "transactional", transactionId: this.#id, outcome: inner };
  }
}
