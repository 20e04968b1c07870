import type { EngineAdmin } from "../../core/engine/admin.ts";
import { checkEngineOptions } from "../../core/engine/arguments.ts";
import { boundedSender } from "../../core/engine/bounded-sender.ts";
import { type Capabilities, nativeCapabilities } from "../../core/engine/capabilities.ts";
import type { Delivery, LockToken, Settlement } from "../../core/engine/delivery.ts";
import type {
  AcceptSessionOptions,
  ConnectOptions,
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
  Transaction,
  TransactionOption,
} from "../../core/engine/engine.ts";
import type { EngineInspection } from "../../core/engine/inspection.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import { closed, invalidOperation, sessionLockLost } from "../../core/engine/refusals.ts";
import { Renewed, type StoredHome } from "./stored-home.ts";
import {
  innerTransaction,
  StoredReceiver,
  StoredSender,
  StoredSessionReceiver,
  StoredTransaction,
} from "./stored-links.ts";

/** A connection to a memory engine with a store: operations resolve, and messages are delivered, only once they are durable. */
export class StoredEngine implements Engine {
  readonly name: string;
  readonly capabilities: Capabilities = nativeCapabilities;
  readonly admin: EngineAdmin;
  readonly inspection: EngineInspection;
  readonly #home: StoredHome;
  readonly #inner: Renewed<Engine>;
  /** Whether closing this connection closes the store. */
  readonly #isRoot: boolean;
  #closed = false;

  /** @param inner The connection to the memory engine; `undefined` for the root connection, which closes the engine. */
  constructor(name: string, home: StoredHome, inner?: Renewed<Engine>) {
    this.name = name;
    this.#home = home;
    this.#isRoot = inner === undefined;
    this.#inner = inner ?? new Renewed(home, home.root, async () => home.root);
    this.inspection = {
      counts: (entity) => this.#run(({ inspection }) => inspection.counts(entity)),
      sessions: (entity, options) => this.#run(({ inspection }) => inspection.sessions(entity, options)),
      deadLetters: (entity, options) => this.#run(({ inspection }) => inspection.deadLetters(entity, options)),
    };
    this.admin = new Proxy(home.root.admin, {
      get:
        (_admin, method) =>
        (...given: readonly unknown[]): Promise<unknown> =>
          this.#run(({ admin }) => Reflect.apply(Reflect.get(admin, method), admin, given)),
    });
  }

  async openSender(entity: string, options: OpenSenderOptions = {}): Promise<EngineSender> {
    checkEngineOptions.openSender(options);
    const { via, maxInFlight } = options;
    const sender = new StoredSender(this.#home, await this.#link((inner) => inner.openSender(entity, { via })));
    return maxInFlight === undefined ? sender : boundedSender(sender, maxInFlight);
  }

  async openReceiver(entity: string, options: OpenReceiverOptions): Promise<EngineReceiver> {
    return new StoredReceiver(this.#home, await this.#link((inner) => inner.openReceiver(entity, options)));
  }

  async acceptSession(entity: string, options: AcceptSessionOptions): Promise<EngineSessionReceiver> {
    this.#checkOpen();
    const inner = await this.#home.runWaiting(this.#inner, (engine) => engine.acceptSession(entity, options));
    const lost = async (): Promise<never> => {
      throw sessionLockLost(inner.sessionId, entity);
    };
    return new StoredSessionReceiver(this.#home, new Renewed(this.#home, inner, lost));
  }

  async peek(entity: string, options: PeekOptions): Promise<readonly Delivery[]> {
    return this.#home.fill(await this.#run((inner) => inner.peek(entity, options)));
  }

  async receiveDeferred(
    entity: string,
    sequenceNumbers: readonly bigint[],
    options: ReceiveDeferredOptions,
  ): Promise<readonly Delivery[]> {
    return this.#home.fill(await this.#run((inner) => inner.receiveDeferred(entity, sequenceNumbers, options)));
  }

  schedule(
    entity: string,
    envelopes: readonly Envelope[],
    options: TransactionOption = {},
  ): Promise<readonly bigint[]> {
    const inside = { ...options, transaction: innerTransaction(options?.transaction) };
    return this.#run((inner) => inner.schedule(entity, envelopes, inside));
  }

  cancel(entity: string, sequenceNumbers: readonly bigint[]): Promise<void> {
    return this.#run((inner) => inner.cancel(entity, sequenceNumbers));
  }

  settle(
    entity: string,
    lockToken: LockToken,
    settlement: Settlement,
    { transaction }: TransactionOption = {},
  ): Promise<void> {
    const options = { transaction: innerTransaction(transaction) };
    return this.#run((inner) => inner.settle(entity, lockToken, settlement, options));
  }

  renew(entity: string, lockToken: LockToken): Promise<Date> {
    return this.#run((inner) => inner.renew(entity, lockToken));
  }

  deleteMessages(entity: string, options: DeleteOptions): Promise<number> {
    return this.#run((inner) => inner.deleteMessages(entity, options));
  }

  listSessions(entity: string, options?: ListSessionsOptions): Promise<readonly string[]> {
    return this.#run((inner) => inner.listSessions(entity, options));
  }

  async begin(): Promise<Transaction> {
    const inner = await this.#run((engine) => engine.begin());
    return new StoredTransaction(this.#home, new Renewed(this.#home, inner, rolledBack));
  }

  async connect(options?: ConnectOptions): Promise<Engine> {
    return new StoredEngine(this.name, this.#home, await this.#link((inner) => inner.connect(options)));
  }

  close(): Promise<void> {
    return this.#end("close");
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  abort(): Promise<void> {
    return this.#end("abort");
  }

  async #end(how: "close" | "abort"): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#isRoot) await this.#home.end(how);
    else await this.#home.runEnd(this.#inner, (inner) => inner[how]());
  }

  /** A link or connection that is reopened on the next engine. */
  async #link<T>(open: (inner: Engine) => Promise<T>): Promise<Renewed<T>> {
    const opened = (): Promise<T> => this.#run(open);
    return new Renewed(this.#home, await opened(), opened);
  }

  async #run<R>(operation: (inner: Engine) => Promise<R>): Promise<R> {
    this.#checkOpen();
    return this.#home.run(this.#inner, operation);
  }

  #checkOpen(): void {
    if (this.#closed) throw closed("engine");
  }
}

async function rolledBack(): Promise<never> {
  throw invalidOperation("The transaction was rolled back when the store failed. Begin a new one.");
}
