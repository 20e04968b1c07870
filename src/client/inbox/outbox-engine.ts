import { amend, type Envelope } from "../../core/envelope/envelope.ts";
import type {
  ConnectOptions,
  Engine,
  EngineSender,
  OpenSenderOptions,
  SendOptions,
  Transaction,
  TransactionOption,
} from "../../core/engine/engine.ts";
import { encodeMessage } from "../../wire/amqp/message/encode-message.ts";
import { inLateTransaction, LateTransaction } from "../../broker/policy/late-transaction.ts";
import { invalidOperation } from "../../core/engine/refusals.ts";
import type { LockToken, Settlement } from "../../core/engine/delivery.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import type { MaybePromise } from "../../core/message/schema.ts";
import type { OutboxStore, OutgoingMessage } from "./outbox-store.ts";

/** A transaction of the caller's database, in which sends are kept in an outbox. */
export class OutboxTransaction<Tx> implements Transaction {
  readonly #add: (messages: readonly OutgoingMessage[]) => MaybePromise<void>;

  /** @throws SobreError `InvalidOperation` when no transaction is open, if the store knows at once. */
  constructor(store: OutboxStore<Tx>, transaction: Tx) {
    this.#add = store.join?.(transaction) ?? ((messages) => store.add(messages, transaction));
  }

  async keep(entityPath: string, envelopes: readonly Envelope[]): Promise<void> {
    const messages = envelopes.map((envelope) => ({ entityPath, message: encodeMessage(identified(envelope)) }));
    await this.#add(messages);
  }

  /** @throws SobreError `InvalidOperation` when the transaction has ended. */
  check(): MaybePromise<void> {
    return this.#add([]);
  }

  async commit(): Promise<void> {
    throw endedElsewhere();
  }

  async rollback(): Promise<void> {
    throw endedElsewhere();
  }
}

/** A message that is relayed twice is recognised by its id. */
const identified = (envelope: Envelope): Envelope =>
  envelope.brokerProperties.messageId === undefined
    ? amend(envelope, { brokerProperties: { messageId: crypto.randomUUID() } })
    : envelope;

const endedElsewhere = (): SobreError =>
  invalidOperation("The transaction is that of your database. Commit it or roll it back there.");

const sendsOnly = (): SobreError =>
  invalidOperation(
    "A transaction of an outbox takes sends only. Settle after the commit, and set scheduledEnqueueTimeUtc of messages to be scheduled.",
  );

/** An engine whose sends in an {@link OutboxTransaction} are kept; it does everything else itself. */
export class OutboxEngine implements Engine {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  get name(): string {
    return this.#engine.name;
  }

  get server(): Engine["server"] {
    return this.#engine.server;
  }

  get capabilities(): Engine["capabilities"] {
    return this.#engine.capabilities;
  }

  get admin(): Engine["admin"] {
    return this.#engine.admin;
  }

  get inspection(): Engine["inspection"] {
    return this.#engine.inspection;
  }

  async openSender(entity: string, options?: OpenSenderOptions): Promise<EngineSender> {
    return new KeepingSender(entity, () => this.#engine.openSender(entity, options));
  }

  openReceiver: Engine["openReceiver"] = (...given) => this.#engine.openReceiver(...given);
  acceptSession: Engine["acceptSession"] = (...given) => this.#engine.acceptSession(...given);
  peek: Engine["peek"] = (...given) => this.#engine.peek(...given);
  receiveDeferred: Engine["receiveDeferred"] = (...given) => this.#engine.receiveDeferred(...given);
  cancel: Engine["cancel"] = (...given) => this.#engine.cancel(...given);
  renew: Engine["renew"] = (...given) => this.#engine.renew(...given);
  deleteMessages: Engine["deleteMessages"] = (...given) => this.#engine.deleteMessages(...given);
  listSessions: Engine["listSessions"] = (...given) => this.#engine.listSessions(...given);
  // A sender opens its link with the first send, which the commit must not overtake.
  begin: Engine["begin"] = async () => new LateTransaction(await this.#engine.begin());
  close: Engine["close"] = () => this.#engine.close();
  abort: Engine["abort"] = () => this.#engine.abort();

  async schedule(
    entity: string,
    envelopes: readonly Envelope[],
    options?: TransactionOption,
  ): Promise<readonly bigint[]> {
    if (options?.transaction instanceof OutboxTransaction) throw sendsOnly();
    return inLateTransaction(options, (inside) => this.#engine.schedule(entity, envelopes, inside));
  }

  async settle(
    entity: string,
    lockToken: LockToken,
    settlement: Settlement,
    options?: TransactionOption,
  ): Promise<void> {
    if (options?.transaction instanceof OutboxTransaction) throw sendsOnly();
    return inLateTransaction(options, (inside) => this.#engine.settle(entity, lockToken, settlement, inside));
  }

  async connect(options?: ConnectOptions): Promise<Engine> {
    return new OutboxEngine(await this.#engine.connect(options));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** The smallest limit of a message in Service Bus, for batches that are made before the link is open. */
const smallestLimit = 262_144;

/** Opens its link with the first send that needs it: sends are kept while the broker is away. */
class KeepingSender implements EngineSender {
  readonly #entity: string;
  readonly #open: () => Promise<EngineSender>;
  #opening: Promise<EngineSender> | undefined;
  #opened: EngineSender | undefined;
  #isClosed = false;

  constructor(entity: string, open: () => Promise<EngineSender>) {
    this.#entity = entity;
    this.#open = open;
  }

  get maxMessageSize(): number {
    return this.#opened?.maxMessageSize ?? smallestLimit;
  }

  async send(envelopes: readonly Envelope[], options?: SendOptions): Promise<void> {
    if (this.#isClosed) throw new SobreError("Closed", "The sender is closed. Open a new one.");
    const transaction = options?.transaction;
    if (transaction instanceof OutboxTransaction) await transaction.keep(this.#entity, envelopes);
    else
      await inLateTransaction(options, async (inside) => (this.#opened ?? (await this.#get())).send(envelopes, inside));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await (await this.#opening)?.close();
  }

  async #get(): Promise<EngineSender> {
    this.#opening ??= this.#open();
    try {
      return (this.#opened = await this.#opening);
    } catch (error) {
      this.#opening = undefined;
      throw error;
    }
  }
}
