import type { Delivery } from "../../../core/engine/delivery.ts";
import type {
  AcceptSessionOptions,
  Engine,
  EngineSessionReceiver,
  ReceiveOptions,
} from "../../../core/engine/engine.ts";
import { SobreError } from "../../../core/errors/sobre-error.ts";
import type { Clock } from "../../../core/time/clock.ts";
import { type LinkSession, sessionKey } from "./link-session.ts";

/**
 * The sessions of a server that are not exclusive: a client that shows the token of such a session takes it over, with its
 * locked messages, and the client that held it has lost it.
 *
 * Their locks belong to a connection of their own, and not to that of a client: they outlive the client that accepted them.
 */
export class SharedSessions {
  readonly #byNamespace = new WeakMap<Engine, NamespaceSessions>();

  /** The sessions of the namespace with this engine. */
  of(namespace: Engine): NamespaceSessions {
    const sessions = this.#byNamespace.get(namespace) ?? new NamespaceSessions(namespace);
    this.#byNamespace.set(namespace, sessions);
    return sessions;
  }
}

/** The sessions of a namespace that are not exclusive. */
export class NamespaceSessions {
  readonly #namespace: Engine;
  readonly #sessions = new Map<string, SharedSession>();
  #connecting: Promise<Engine> | undefined;

  constructor(namespace: Engine) {
    this.#namespace = namespace;
  }

  /** The connection that holds the locks. */
  engine(): Promise<Engine> {
    const connecting = (this.#connecting ??= this.#namespace.connect({ sharesBytes: true, name: "shared sessions" }));
    connecting.catch(() => (this.#connecting = undefined));
    return connecting;
  }

  /** Accepts a session that nobody holds. @throws SobreError as `acceptSession` does. */
  async accept(entity: string, options: AcceptSessionOptions): Promise<SessionHold> {
    return this.hold(entity, await (await this.engine()).acceptSession(entity, options));
  }

  /** Keeps a session that {@link engine} has accepted. */
  hold(entity: string, receiver: EngineSessionReceiver): SessionHold {
    const key = sessionKey(entity, receiver.sessionId);
    const session: SharedSession = new SharedSession(receiver, () => {
      if (this.#sessions.get(key) === session) this.#sessions.delete(key);
    });
    // One whose client was lost, and whose lock has ended since.
    void this.#sessions
      .get(key)
      ?.end()
      .catch(() => undefined);
    this.#sessions.set(key, session);
    return session.take();
  }

  /** Takes a session over. @throws SobreError `SessionCannotBeLocked` without its token, or `SessionLockLost` when its lock has ended. */
  async takeOver(entity: string, sessionId: string, token: string): Promise<SessionHold> {
    const session = this.#sessions.get(sessionKey(entity, sessionId));
    if (session?.token !== token.toLowerCase())
      throw new SobreError(
        "SessionCannotBeLocked",
        `No client holds the session '${sessionId}' of '${entity}' with this lock token. Accept it without a token when it is free.`,
      );
    // The engine's clock decides whether it is locked still.
    await session.receiver.getSessionState();
    return session.take();
  }

  /** Whether a session is locked in this way. */
  has(entity: string, sessionId: string): boolean {
    return this.#sessions.has(sessionKey(entity, sessionId));
  }

  /**
   * Checks that a request comes from the holder of its session, if that is not exclusive.
   *
   * @param held The session as the request's connection holds it.
   * @param link The link that the request belongs to.
   * @throws SobreError `SessionLockLost`.
   */
  checkHolder(entity: string, sessionId: string, held: LinkSession | undefined, link: string | undefined): void {
    const session = this.#sessions.get(sessionKey(entity, sessionId));
    if (session === undefined) return;
    const isHolder = held?.receiver instanceof SessionHold && session.isHeldBy(held.receiver);
    if (!isHolder || (link !== undefined && link !== held.link)) throw takenOver(sessionId);
  }
}

/** A session with the token that takes it over. */
class SharedSession {
  readonly token: string = crypto.randomUUID();
  readonly receiver: EngineSessionReceiver;
  readonly #ended: () => void;
  #holder: SessionHold | undefined;

  constructor(receiver: EngineSessionReceiver, ended: () => void) {
    this.receiver = receiver;
    this.#ended = ended;
  }

  take(): SessionHold {
    const before = this.#holder;
    this.#holder = new SessionHold(this);
    before?.lose();
    return this.#holder;
  }

  isHeldBy(hold: SessionHold): boolean {
    return this.#holder === hold;
  }

  /** Releases the session. */
  async end(): Promise<void> {
    this.#ended();
    await this.receiver.close();
  }
}

/** The hold of one client on a session, until another takes it over. */
export class SessionHold implements EngineSessionReceiver {
  readonly #session: SharedSession;
  /** Called with the reason when another client takes the session over. */
  lost: (reason: SobreError) => void = () => undefined;

  constructor(session: SharedSession) {
    this.#session = session;
  }

  get token(): string {
    return this.#session.token;
  }

  get sessionId(): string {
    return this.#session.receiver.sessionId;
  }

  sessionLockedUntilUtc(): Date {
    return this.#session.receiver.sessionLockedUntilUtc();
  }

  receive(options: ReceiveOptions): Promise<readonly Delivery[]> {
    return this.#held((receiver) => receiver.receive(options));
  }

  renewSessionLock(): Promise<Date> {
    return this.#held((receiver) => receiver.renewSessionLock());
  }

  getSessionState(): Promise<Uint8Array | undefined> {
    return this.#held((receiver) => receiver.getSessionState());
  }

  setSessionState(state: Uint8Array | null | undefined): Promise<void> {
    return this.#held((receiver) => receiver.setSessionState(state));
  }

  /** Releases the session, unless another client has taken it over. */
  async close(): Promise<void> {
    if (this.#session.isHeldBy(this)) await this.#session.end();
  }

  /** Its client was lost: the session is released when its lock ends, unless another client takes it over before. */
  orphan(clock: Clock): void {
    clock.setTimer(this.sessionLockedUntilUtc().getTime(), () => void this.close().catch(() => undefined));
  }

  lose(): void {
    this.lost(takenOver(this.sessionId));
  }

  async #held<T>(use: (receiver: EngineSessionReceiver) => Promise<T>): Promise<T> {
    if (!this.#session.isHeldBy(this)) throw takenOver(this.sessionId);
    return use(this.#session.receiver);
  }
}

const takenOver = (sessionId: string): SobreError =>
  new SobreError("SessionLockLost", `Another client has taken over the session '${sessionId}'. Accept it again.`);
