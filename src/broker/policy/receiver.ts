import { checkReceiveOptions, checkState } from "../../core/engine/arguments.ts";
import type { Delivery } from "../../core/engine/delivery.ts";
import type { EngineReceiver, EngineSessionReceiver, ReceiveOptions } from "../../core/engine/engine.ts";
import { closed } from "../../core/engine/refusals.ts";
import type { Answer } from "./answer.ts";
import type { Closable, LinkOwner, ReceiveVerbs, ReceiverLink, SessionLink } from "./broker-verbs.ts";

type ReceiverOwner = Pick<LinkOwner<unknown>, "closed" | "enter">;

/** The receiving end of a link to a queue, subscription or sub-queue. */
export class BrokerReceiver<Link extends ReceiverLink> implements EngineReceiver, Closable {
  readonly #verbs: ReceiveVerbs<Link>;
  readonly #link: Link;
  readonly #owner: ReceiverOwner;
  #closed = false;

  constructor(verbs: ReceiveVerbs<Link>, link: Link, owner: ReceiverOwner) {
    this.#verbs = verbs;
    this.#link = link;
    this.#owner = owner;
  }

  receive(options: ReceiveOptions): Promise<readonly Delivery[]> {
    try {
      checkReceiveOptions(options);
      this.#checkOpen();
      // A single promise, since thousands of links may be waiting.
      return Promise.resolve(this.#verbs.receive(this.#link, options));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#end();
    await this.#verbs.releaseLink(this.#link);
  }

  /** Closes without releasing any message. */
  async abort(): Promise<void> {
    this.#end();
  }

  /** Runs a verb of a receiver that is open. */
  static async run<Link extends ReceiverLink, T>(
    receiver: BrokerReceiver<Link>,
    verb: (verbs: ReceiveVerbs<Link>, link: Link) => Answer<T>,
  ): Promise<T> {
    receiver.#checkOpen();
    return receiver.#owner.enter(() => verb(receiver.#verbs, receiver.#link));
  }

  #end(): void {
    this.#closed = true;
    this.#owner.closed(this);
    this.#verbs.endReceives(this.#link);
  }

  #checkOpen(): void {
    if (this.#closed) throw closed("receiver");
  }
}

/** The receiving end of a link that holds a session. */
export class BrokerSessionReceiver<Link extends ReceiverLink>
  extends BrokerReceiver<Link & SessionLink>
  implements EngineSessionReceiver
{
  readonly sessionId: string;
  readonly #session: SessionLink;

  constructor(verbs: ReceiveVerbs<Link>, link: Link & SessionLink, owner: ReceiverOwner) {
    super(verbs, link, owner);
    this.sessionId = link.sessionLock.id;
    this.#session = link;
  }

  sessionLockedUntilUtc(): Date {
    return new Date(this.#session.sessionLock.until);
  }

  async renewSessionLock(): Promise<Date> {
    await BrokerReceiver.run(this, (verbs, link) => verbs.renewSession(link));
    return this.sessionLockedUntilUtc();
  }

  getSessionState(): Promise<Uint8Array | undefined> {
    return BrokerReceiver.run(this, (verbs, link) => verbs.sessionState(link));
  }

  async setSessionState(state: Uint8Array | null | undefined): Promise<void> {
    const given = checkState(state);
    // `slice` of a `Buffer` would share its bytes.
    const own = given === undefined ? undefined : new Uint8Array(given);
    return BrokerReceiver.run(this, (verbs, link) => verbs.setSessionState(link, own));
  }
}
