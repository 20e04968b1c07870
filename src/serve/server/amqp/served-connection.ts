import type { Engine } from "../../../core/engine/engine.ts";
import { parseAddress } from "../../../core/engine/address.ts";
import { entityNotFound } from "../../../core/engine/refusals.ts";
import { SobreError } from "../../../core/errors/sobre-error.ts";
import { Connection } from "../../../wire/amqp/connection/connection.ts";
import { monotonicTime } from "../../../wire/amqp/connection/liveness.ts";
import type { ConnectionLimits } from "../../../wire/amqp/connection/connection-limits.ts";
import type { ServerSasl } from "../../../wire/amqp/connection/handshake.ts";
import type { OpenPerformative } from "../../../wire/amqp/connection/performative.ts";
import { ReceivingLink } from "../../../wire/amqp/connection/receiving-link.ts";
import type { SaslInit } from "../../../wire/amqp/connection/handshake.ts";
import type { SendingLink } from "../../../wire/amqp/connection/sending-link.ts";
import { type Clock, systemClock } from "../../../core/time/clock.ts";
import { type Access, type Grant, ownerOf, type Right } from "../access.ts";
import { AnswerGate } from "./answer-gate.ts";
import { answerCbs } from "./cbs.ts";
import { openCoordinator } from "./coordinator.ts";
import { firstDeliveryId } from "./first-delivery-id.ts";
import { Grants, type Needs } from "./grants.ts";
import { endLostSessions, type LinkSession } from "./link-session.ts";
import { answerManagement } from "./management.ts";
import { Containers, LinkNames } from "./link-names.ts";
import { type LinkNode, nodeOf } from "./node-address.ts";
import { openOutboundLink, type ReceiveContext } from "./open-outbound-link.ts";
import { cbsLimits, managementLimits, RequestNode } from "./request-node.ts";
import { destinationOf, InboundLink } from "./inbound-link.ts";
import { maxPathLength } from "../path.ts";
import { namesSession, sessionFilter, sharedSessionFilter } from "./session-filter.ts";
import { type NamespaceSessions, SharedSessions } from "./shared-sessions.ts";
import { checkFilters, refuseCopies } from "./unsupported-source.ts";
import type { SessionWaits } from "./session-waits.ts";
import { Transactions } from "./transactions.ts";

/** The first use of an entity. */
export interface FirstUse {
  /** Whether a session is requested. */
  readonly requiresSession: boolean;
}

/** Options of {@link ServedConnection}. */
export interface ServedConnectionOptions {
  readonly access: Access;
  /** The clients of the server. Default: each connection is of its own. */
  readonly containers?: Containers | undefined;
  /** The sessions of the server that are not exclusive. Default: those of the connection. */
  readonly sharedSessions?: SharedSessions | undefined;
  readonly limits?: Partial<ConnectionLimits> | undefined;
  /** Called when there are bytes to take, once until they are taken. */
  readonly output: () => void;
  /** Called once when the connection has ended; `reason` is set unless the client closed it. */
  readonly closed?: ((reason: string | undefined) => void) | undefined;
  /** Called with the reason of a refusal that needs to be fixed: a wrong key, name or usage. */
  readonly refused?: ((why: string) => void) | undefined;
  /** Called with an error of the server itself; the client gets only the tracking id. */
  readonly failed?: ((error: unknown, trackingId: string) => void) | undefined;
  /** Called when a key or token was wrong. */
  readonly loginFailed?: (() => void) | undefined;
  /** Called with the milliseconds of silence after which the peer gives the connection up, if it has a limit. */
  readonly peerIdleTimeOut?: ((milliseconds: number) => void) | undefined;
  /** Creates a missing entity on first use. Default: no entity is created. */
  readonly autoCreate?: ((engine: Engine, entity: string, use?: FirstUse) => Promise<void>) | undefined;
  /** The broker's time. Default: the machine's. */
  readonly clock?: Clock | undefined;
  /** Gives the id of the first delivery of each session. Default: different ones. */
  readonly firstDeliveryId?: (() => number) | undefined;
  /** The current time in milliseconds, for time-outs of the connection. Default: a clock that never goes back. */
  readonly now?: (() => number) | undefined;
}

const toSend: readonly Right[] = ["Send"];
const toListen: readonly Right[] = ["Listen"];
/** A client needs one of these rights to send requests to an entity. */
const managing: readonly Right[] = ["Listen", "Send"];
/** The need of links to the coordinator: any grant. */
const anything: Needs = [{ entity: undefined, rights: managing }];

/** Refusals that a user can fix. */
const mistakes: ReadonlySet<string> = new Set([
  "UnauthorizedAccess",
  "MessagingEntityNotFound",
  "MessagingEntityDisabled",
  "InvalidOperation",
  "InvalidArgument",
]);

/** Milliseconds in which a client that has asked for a session by its id detaches when it gets none. */
const refusalPause = 50;

/** Milliseconds that a connection may go without a valid token. */
const unknownFor = 60_000;

const mechanisms = ["ANONYMOUS", "MSSBCBS", "PLAIN", "EXTERNAL"];

/** The server's side of a client connection: maps links to an engine, bytes in, bytes out. */
export class ServedConnection {
  readonly wire: Connection;
  readonly #options: ServedConnectionOptions;
  /** Includes nodes that are still being created: both links of a client may attach at the same time. */
  readonly #nodes = new Map<string, Promise<RequestNode>>();
  readonly #gate = new AnswerGate();
  readonly #transactions = new Transactions();
  readonly #sessions = new Map<string, LinkSession>();
  readonly #waits = new Map<string, SessionWaits>();
  readonly #shared: SharedSessions;
  readonly #grants = new Grants();
  /** When there was last a valid grant. */
  readonly #now: () => number;
  #grantedAt: number;
  /** Names of links that need no token. */
  readonly #ownNames = new LinkNames();
  #container: ReturnType<Containers["join"]> | undefined;
  #containerId = "";
  #hostname: string | undefined;
  #engine: Promise<Engine> | undefined;

  constructor(options: ServedConnectionOptions) {
    this.#options = options;
    this.#shared = options.sharedSessions ?? new SharedSessions();
    this.#now = options.now ?? monotonicTime;
    this.#grantedAt = this.#now();
    const serverSasl: ServerSasl = { mechanisms, verify: (init) => this.#verify(init) };
    this.wire = new Connection({
      role: "server",
      containerId: "sobre",
      limits: options.limits,
      firstDeliveryId: options.firstDeliveryId ?? firstDeliveryId,
      serverSasl,
      now: this.#now,
      events: {
        opened: (open) => this.#opened(open),
        attach: (link) => this.#attach(link),
        left: (link) => this.#left(link),
        ignored: (state) => this.#transactions.lose(state),
        closed: (error) => this.#closed(error?.description ?? error?.condition),
        output: options.output,
        failed: options.failed,
      },
    });
  }

  /** Checks time-outs, the locks of sessions and the tokens of open links: call it about once a second. */
  tick(): void {
    this.wire.tick();
    endLostSessions(this.#sessions, (this.#options.clock ?? systemClock).now());
    this.#grants.check();
    if (this.#grants.hasAny) this.#grantedAt = this.#now();
    else if (this.#now() - this.#grantedAt >= unknownFor)
      this.wire.close({
        condition: "amqp:connection:forced",
        description: "The client did not put a token within a minute.",
      });
  }

  /** The links that hold the connection's sessions, by entity and id. */
  get sessions(): Map<string, LinkSession> {
    return this.#sessions;
  }

  #verify({ mechanism, initialResponse, hostname }: SaslInit): boolean {
    if (mechanism !== "PLAIN") return true;
    const [, name = "", key = ""] = Buffer.from(initialResponse ?? [])
      .toString("utf8")
      .split("\0");
    const grant = this.#options.access.password(name, key, hostname);
    if (grant === undefined) {
      this.#options.refused?.("The key name or the key is wrong.");
      this.#options.loginFailed?.();
      return false;
    }
    this.#grants.add(grant);
    return true;
  }

  /** A session that another client holds, or that is not available in time, is not an error to report. */
  #tell(error: unknown): void {
    if (error instanceof SobreError && mistakes.has(error.code)) this.#options.refused?.(error.message);
  }

  #opened({ hostname, containerId, idleTimeOut }: OpenPerformative): void {
    this.#containerId = containerId;
    this.#hostname = hostname;
    if (idleTimeOut !== undefined && idleTimeOut > 0) this.#options.peerIdleTimeOut?.(idleTimeOut);
    const grant = this.#options.access.anonymous(hostname);
    if (grant !== undefined) this.#grants.addAnonymous(grant);
  }

  #closed(reason: string | undefined): void {
    // After an orderly close, all locks are released without counting a delivery. Otherwise they expire, so that a
    // message that crashes its process reaches the dead-letter queue.
    const { lost } = this.wire;
    this.#container?.leave();
    this.#engine?.then((engine) => (lost ? engine.abort() : engine.close())).catch(() => undefined);
    this.#options.closed?.(reason);
  }

  async #admit(token: string): Promise<Grant> {
    try {
      const grant = await this.#options.access.token(token, this.#hostname);
      this.#grants.add(grant);
      return grant;
    } catch (error) {
      this.#tell(error);
      this.#options.loginFailed?.();
      throw error;
    }
  }

  /** Whether it has used something of the namespace, or has rights there. */
  isOf(namespace: Engine): boolean {
    return this.#grants.isOf(namespace);
  }

  #attach(link: SendingLink | ReceivingLink): void {
    void this.#open(link).catch((error: unknown) => this.#refuse(link, error));
  }

  /** Ends the links to an entity: they would not reach another one of its name, and clients open new ones. */
  #entityDeleted(address: string): void {
    const missing = entityNotFound(address);
    for (const link of this.#grants.linksTo(address))
      if (link.state === "asked") this.#refuse(link, missing);
      else this.#grants.end(link, { ...this.wire.errorOf(missing), condition: "amqp:resource-deleted" });
  }

  #refuse(link: SendingLink | ReceivingLink, error: unknown): void {
    this.#grants.forget(link);
    this.#tell(error);
    const told = this.wire.errorOf(error);
    if (link instanceof ReceivingLink || !namesSession(link.remote?.source)) return link.refuse(told);
    link.refuseLater(told);
    setTimeout(() => link.detach(told), refusalPause).unref();
  }

  #left(link: SendingLink | ReceivingLink): void {
    this.#grants.forget(link);
    this.#ownNames.release(link);
    this.#container?.names.release(link);
    for (const waits of this.#waits.values()) waits.accept();
  }

  async #open(link: SendingLink | ReceivingLink): Promise<void> {
    const { remote } = link;
    const isReceiving = link instanceof ReceivingLink;
    if (isReceiving && remote?.target?.kind === "coordinator") {
      // Rights are checked for each operation of a transaction.
      const engine = await this.#admitLink(link, anything);
      return openCoordinator(link, engine, this.#transactions);
    }
    const address = (isReceiving ? remote?.target : remote?.source)?.address;
    if (address === undefined || address === "")
      throw new SobreError(
        "InvalidArgument",
        "The link has no address. Attach it to the address of an entity; dynamic nodes are not supported.",
      );
    checkAddress(address);
    const node = nodeOf(address);
    if (node.kind !== "entity") return this.#openRequests(link, node);
    const { entity } = node;
    const rights = isReceiving ? toSend : toListen;
    const source = isReceiving ? undefined : remote?.source;
    const shared = sharedSessionFilter(source);
    const session = shared === undefined ? sessionFilter(source) : shared.sessionId;
    if (!isReceiving) checkFilters(remote?.source);
    // Before anything else is awaited: a thousand of them may come in one read.
    if (session === null) link.cost = this.wire.budget.park(link.cost);
    const destination = isReceiving ? destinationOf(link) : undefined;
    checkAddress(destination);
    const needs: Needs =
      destination === undefined
        ? [{ entity, rights }]
        : [
            { entity, rights },
            { entity: destination, rights },
          ];
    if (!isReceiving && remote?.source?.distributionMode === "copy")
      return refuseCopies(this.#grants.need({ entity, rights }).engine, entity);
    const engine = await this.#admitLink(link, needs);
    await this.#options.autoCreate?.(engine, parseAddress(entity).name, { requiresSession: session !== undefined });
    if (isReceiving) return InboundLink.open(link, { entity, destination }, engine, this.#transactions);
    const namespace = this.#grants.need({ entity, rights }).engine;
    return openOutboundLink(link, this.#receiving(entity, engine, this.#shared.of(namespace)));
  }

  #receiving(entity: string, engine: Engine, shared: NamespaceSessions): ReceiveContext {
    const { clock = systemClock } = this.#options;
    return {
      entity,
      engine,
      clock,
      transactions: this.#transactions,
      sessions: this.#sessions,
      shared,
      waits: this.#waits,
      refuse: (link, error) => this.#refuse(link, error),
    };
  }

  async #openRequests(link: SendingLink | ReceivingLink, node: Exclude<LinkNode, { kind: "entity" }>): Promise<void> {
    if (node.kind === "management") await this.#admitLink(link, [{ entity: node.entity, rights: managing }]);
    else this.#ownNames.claim(link, this.#grants.holder("", anything));
    const key = node.kind === "cbs" ? "" : `/${node.entity.toLowerCase()}`;
    const making = this.#nodes.get(key) ?? this.#newNode(node);
    this.#nodes.set(key, making);
    // After a refusal, the next link tries again.
    making.catch(() => this.#nodes.delete(key));
    const requests = await making;
    // The last link may have been detached meanwhile.
    this.#nodes.set(key, making);
    const left = (): void => {
      if (requests.isIdle && this.#nodes.get(key) === making) this.#nodes.delete(key);
    };
    if (link instanceof ReceivingLink) requests.openRequests(link, left);
    else requests.openReplies(link, left);
  }

  async #newNode(node: Exclude<LinkNode, { kind: "entity" }>): Promise<RequestNode> {
    const shared = { gate: this.#gate, transactions: this.#transactions };
    if (node.kind === "cbs")
      return new RequestNode((request) => answerCbs(request, (token) => this.#admit(token), this.wire), {
        ...shared,
        limits: cbsLimits,
      });
    const { entity } = node;
    const grant = this.#grants.need({ entity, rights: managing });
    const engine = await this.#engineOf(grant);
    await this.#options.autoCreate?.(engine, parseAddress(entity).name);
    const need = (right: Right): void => void this.#grants.need({ entity, rights: [right] });
    const sessions = { sessions: this.#sessions, shared: this.#shared.of(grant.engine) };
    const context = { entity, engine, need, connection: this.wire, ...sessions };
    return new RequestNode((request, work) => answerManagement(request, context, work), {
      ...shared,
      limits: managementLimits,
    });
  }

  /**
   * The engine of the namespace, for a link with these needs, which gets its name.
   *
   * @throws SobreError `UnauthorizedAccess` without a grant for each of them.
   */
  #admitLink(link: SendingLink | ReceivingLink, needs: Needs): Promise<Engine> {
    const [first, second] = needs;
    const grant = this.#grants.need(first);
    if (second !== undefined) this.#grants.need(second);
    const engine = this.#engineOf(grant);
    const holder = this.#grants.holder(ownerOf(grant), needs);
    this.#container?.names.claim(link, holder);
    this.#grants.watch(link, holder);
    return engine;
  }

  async #engineOf(grant: Grant): Promise<Engine> {
    this.#grants.enter(grant.engine);
    this.#container ??= (this.#options.containers ?? new Containers()).join(grant.engine, this.#containerId);
    const connecting = (this.#engine ??= grant.engine.connect({
      sharesBytes: true,
      name: nameOf(this.#containerId, grant),
      onEntityDeleted: (address) => this.#entityDeleted(address),
    }));
    // The next link tries a failed connection again.
    connecting.catch(() => (this.#engine = undefined));
    return connecting;
  }
}

/** The name of a client for people. */
const nameOf = (containerId: string, { keyName, subject = keyName }: Grant): string =>
  subject === undefined ? containerId : `${containerId} (${subject})`;

/** @throws SobreError `InvalidArgument` if the address is too long. */
function checkAddress(address: string | undefined): void {
  if (address === undefined || address.length <= maxPathLength) return;
  throw new SobreError("InvalidArgument", `The address of a link may have at most ${maxPathLength} characters.`);
}
