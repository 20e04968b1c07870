import { checkState } from "../../core/engine/arguments.ts";
import type { EngineSessionReceiver } from "../../core/engine/engine.ts";
import { sizedEntity } from "../policy/entities.ts";
import type { MessageQueue, ReceiveLink } from "./message-queue.ts";
import { checkRoom } from "./meter.ts";
import { MemoryReceiver } from "./receiver.ts";
import { messageTooLarge, sessionLockLost } from "../../core/engine/refusals.ts";
import type { LinkOwner } from "../policy/broker-verbs.ts";
import type { SessionLock } from "./session.ts";
import type { WaitingReceive } from "./waiting-receive.ts";

/** A link that holds a session. */
export interface SessionLink extends ReceiveLink {
  readonly sessionLock: SessionLock;
}

/** The receiving end of a link that holds a session. */
export class MemorySessionReceiver extends MemoryReceiver implements EngineSessionReceiver {
  readonly sessionId: string;
  readonly #lock: SessionLock;

  constructor(queue: MessageQueue, link: SessionLink, owner: Pick<LinkOwner<unknown>, "closed">) {
    super(queue, link, owner);
    this.sessionId = link.sessionLock.session.id;
    this.#lock = link.sessionLock;
  }

  sessionLockedUntilUtc(): Date {
    return new Date(this.#lock.until);
  }

  async renewSessionLock(): Promise<Date> {
    return new Date(this.#lock.session.table.renew(this.#lock, this.enter()));
  }

  async getSessionState(): Promise<Uint8Array | undefined> {
    this.enter();
    this.#checkHeld();
    return copyOf(this.#lock.session.state);
  }

  async setSessionState(state: Uint8Array | null | undefined): Promise<void> {
    const now = this.enter();
    this.#checkHeld();
    const own = copyOf(checkState(state));
    if (own !== undefined) this.#checkRoom(own.byteLength);
    this.#lock.session.table.setState(this.#lock.session, own, now);
  }

  protected override enter(): number {
    const now = super.enter();
    this.queue.timeline.catchUp(this.#lock);
    return now;
  }

  protected override closed(now: number): void {
    this.#lock.session.table.lose(this.#lock, "countedIfSettled", now);
  }

  protected override waiting(): Iterable<WaitingReceive> {
    return this.#lock.session.waiting;
  }

  #checkHeld(): void {
    if (!this.#lock.held) throw sessionLockLost(this.sessionId, this.queue.address);
  }

  #checkRoom(bytes: number): void {
    const entity = sizedEntity(this.queue.entity);
    const { maxMessageSizeInBytes } = entity.settings;
    if (bytes > maxMessageSizeInBytes) throw messageTooLarge(bytes, maxMessageSizeInBytes, this.queue.address);
    checkRoom(entity, bytes - (this.#lock.session.state?.byteLength ?? 0));
  }
}

/** A copy; `slice` of a `Buffer` would share its bytes. */
const copyOf = (bytes: Uint8Array | undefined): Uint8Array | undefined =>
  bytes === undefined ? undefined : new Uint8Array(bytes);
