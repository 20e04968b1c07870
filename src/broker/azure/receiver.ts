import { checkReceiveOptions, checkState } from "../../core/engine/arguments.ts";
import type { EngineReceiver, EngineSessionReceiver, ReceiveOptions } from "../../core/engine/engine.ts";
import type { Delivery } from "../../core/engine/delivery.ts";
import type { SobreError } from "../../core/errors/sobre-error.ts";
import { closed } from "../../core/engine/refusals.ts";
import type { Management } from "./management.ts";
import type { AzureReceiveLink } from "./receive-link.ts";

/** Receives from an entity; after the broker has ended the link, the next receive reopens it. */
export class AzureReceiver implements EngineReceiver {
  readonly #open: () => Promise<AzureReceiveLink>;
  readonly #forget: (receiver: AzureReceiver) => void;
  /** Minimum wait of a receive in milliseconds. */
  readonly #minWaitTimeInMs: number;
  #link: AzureReceiveLink | undefined;
  #opening: Promise<AzureReceiveLink> | undefined;
  #refusal: SobreError | undefined;

  constructor(
    open: () => Promise<AzureReceiveLink>,
    options: { readonly minWaitTimeInMs: number; readonly forget: (receiver: AzureReceiver) => void },
  ) {
    this.#open = open;
    this.#minWaitTimeInMs = options.minWaitTimeInMs;
    this.#forget = options.forget;
  }

  /** Opens the link. @throws SobreError the broker's refusal. */
  async open(): Promise<void> {
    await this.#attached();
  }

  async receive(options: ReceiveOptions): Promise<readonly Delivery[]> {
    checkReceiveOptions(options);
    if (this.#refusal !== undefined) throw this.#refusal;
    if (options.abortSignal?.aborted === true) return [];
    const link = this.#link;
    // Taking part in the order of the calls needs the link now.
    const usable = link !== undefined && link.gone === undefined ? link : await this.#attached();
    try {
      return await usable.receive({
        ...options,
        maxWaitTimeInMs: Math.max(options.maxWaitTimeInMs, this.#minWaitTimeInMs),
      });
    } catch (error) {
      if (usable.gone?.code === "MessagingEntityNotFound") this.#refusal ??= usable.gone;
      throw error;
    }
  }

  async close(): Promise<void> {
    if (this.#refusal?.code === "Closed") return;
    this.#refusal = closed("receiver");
    this.#forget(this);
    await this.#opening?.catch(() => undefined);
    await this.#link?.close();
  }

  /** Called when the connection is closing. */
  drop(): void {
    this.#refusal = closed("receiver");
    this.#link?.drop();
  }

  #attached(): Promise<AzureReceiveLink> {
    const { gone } = this.#link ?? {};
    // An entity created again under the name is another one.
    if (gone?.code === "MessagingEntityNotFound") return Promise.reject(gone);
    this.#opening ??= this.#open()
      .then((link) => (this.#link = link))
      .finally(() => (this.#opening = undefined));
    return this.#opening;
  }
}

/** A session that was granted. */
export interface GrantedSession {
  readonly entity: string;
  readonly sessionId: string;
  readonly lockedUntilUtc: Date;
  readonly link: AzureReceiveLink;
  readonly minWaitTimeInMs: number;
}

/** Receives the messages of a session for as long as its link holds it. */
export class AzureSessionReceiver implements EngineSessionReceiver {
  readonly sessionId: string;
  readonly #session: GrantedSession;
  readonly #management: Management;
  readonly #forget: (receiver: AzureSessionReceiver) => void;
  #lockedUntil: Date;
  #closed = false;

  constructor(session: GrantedSession, management: Management, forget: (receiver: AzureSessionReceiver) => void) {
    this.sessionId = session.sessionId;
    this.#session = session;
    this.#management = management;
    this.#forget = forget;
    this.#lockedUntil = session.lockedUntilUtc;
  }

  async receive(options: ReceiveOptions): Promise<readonly Delivery[]> {
    checkReceiveOptions(options);
    this.#enter();
    if (options.abortSignal?.aborted === true) return [];
    const { link, minWaitTimeInMs } = this.#session;
    return link.receive({ ...options, maxWaitTimeInMs: Math.max(options.maxWaitTimeInMs, minWaitTimeInMs) });
  }

  sessionLockedUntilUtc(): Date {
    return this.#lockedUntil;
  }

  async renewSessionLock(): Promise<Date> {
    this.#enter();
    const { entity, link } = this.#session;
    this.#lockedUntil = await this.#management.renewSessionLock(entity, this.sessionId, link.name);
    return this.#lockedUntil;
  }

  async getSessionState(): Promise<Uint8Array | undefined> {
    this.#enter();
    const { entity, link } = this.#session;
    return this.#management.sessionState(entity, this.sessionId, link.name);
  }

  async setSessionState(state: Uint8Array | null | undefined): Promise<void> {
    this.#enter();
    const { entity, link } = this.#session;
    return this.#management.setSessionState(entity, { id: this.sessionId, link: link.name }, checkState(state));
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#forget(this);
    await this.#session.link.close();
  }

  /** Called when the connection is closing. */
  drop(): void {
    this.#closed = true;
    this.#session.link.drop();
  }

  #enter(): void {
    if (this.#closed) throw closed("session");
  }
}
