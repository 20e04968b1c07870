import type { EngineSessionReceiver } from "../../engine/engine.ts";
import type { ReceivableEntity } from "./receivable-entity.ts";
import { MemoryReceiver } from "./receiver.ts";
import { messageTooLarge, quotaExceeded, sessionLockLost } from "./refusals.ts";
import type { SessionLock } from "./session-lock.ts";
import type { SessionTable } from "./session-table.ts";
import type { WaitingReceive } from "./waiting-receives.ts";

const megabyte = 2 ** 20;

/** The receiving end of a link that holds a session. */
export class MemorySessionReceiver extends MemoryReceiver implements EngineSessionReceiver {
  readonly sessionId: string;
  readonly #lock: SessionLock;
  readonly #sessions: SessionTable;
  readonly #owner: ReceivableEntity;

  constructor(owner: ReceivableEntity, lock: SessionLock, onClose: (receiver: MemoryReceiver) => void) {
    const { queue } = lock.session.lane;
    super(owner, queue, lock.link, onClose);
    this.sessionId = lock.session.id;
    this.#lock = lock;
    this.#sessions = lock.session.table;
    this.#owner = owner;
  }

  sessionLockedUntilUtc(): Date {
    return new Date(this.#lock.until);
  }

  async renewSessionLock(): Promise<Date> {
    return new Date(this.#sessions.renew(this.#lock, this.enter()));
  }

  async getSessionState(): Promise<Uint8Array | undefined> {
    this.enter();
    this.#checkHeld();
    return this.#lock.session.state?.slice();
  }

  async setSessionState(state: Uint8Array | undefined): Promise<void> {
    const now = this.enter();
    this.#checkHeld();
    if (state !== undefined) this.#checkRoom(state.byteLength);
    this.#sessions.setState(this.#lock, state?.slice(), now);
  }

  protected override closed(now: number): void {
    this.#sessions.lose(this.#lock, "uncounted", now);
  }

  protected override waiting(): Iterable<WaitingReceive> {
    return this.#lock.session.lane.waiting;
  }

  #checkHeld(): void {
    if (!this.#lock.held) throw sessionLockLost(this.sessionId, this.#owner.address);
  }

  #checkRoom(bytes: number): void {
    const { maxMessageSizeInBytes, maxSizeInMegabytes } = this.#owner.limits;
    const { address } = this.#owner;
    if (bytes > maxMessageSizeInBytes) throw messageTooLarge(bytes, maxMessageSizeInBytes, address);
    const total = this.#owner.meter.bytes - (this.#lock.session.state?.byteLength ?? 0) + bytes;
    if (total > maxSizeInMegabytes * megabyte) throw quotaExceeded(address, maxSizeInMegabytes);
  }
}
