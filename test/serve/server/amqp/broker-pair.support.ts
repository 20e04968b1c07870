import type { Access, Grant } from "../../../../src/serve/server/access.ts";
import { ServedConnection } from "../../../../src/serve/server/amqp/served-connection.ts";
import type { SharedSessions } from "../../../../src/serve/server/amqp/shared-sessions.ts";
import type { Containers } from "../../../../src/serve/server/amqp/link-names.ts";
import {
  Connection,
  type DeliveryState,
  type IncomingDelivery,
  type ReceivingLink,
  type SendingLink,
  type WireError,
} from "../../../../src/wire/amqp/connection/index.ts";
import type { Engine } from "../../../../src/core/engine/index.ts";
import type { Clock } from "../../../../src/core/time/index.ts";
import { typed } from "../../../../src/core/values/typed-makers.ts";
import { AmqpMap } from "../../../../src/core/values/typed.ts";

const ignore = (): void => undefined;

/** The client's name, and what the broker shares with others. */
interface BrokerPairOptions {
  readonly failed?: (error: unknown, trackingId: string) => void;
  readonly containers?: Containers;
  readonly containerId?: string;
  /** Default: that of a client without credentials, who has the grant. */
  readonly access?: Access;
  /** The key that the client shows as it connects. */
  readonly plain?: { readonly name: string; readonly key: string };
  readonly hostname?: string;
  readonly clock?: Clock;
  readonly sharedSessions?: SharedSessions;
}

/** A client's connection to a broker on an engine, whose bytes reach each other when {@link BrokerPair.run} is called. */
export class BrokerPair {
  readonly server: ServedConnection;
  readonly client: Connection;
  readonly #receivers: ReceivingLink[] = [];
  readonly detached: (WireError | undefined)[] = [];

  constructor(engine: Engine, grant: Partial<Grant> = {}, options: BrokerPairOptions = {}) {
    const { failed, containers, containerId = "test", plain, hostname = "localhost", clock, sharedSessions } = options;
    const own: Access = {
      anonymous: () => ({ engine, scope: "", rights: ["Manage"], expiresAt: Infinity, ...grant }),
      password: () => undefined,
      token: () => {
        throw new Error("no tokens");
      },
    };
    const { access = own } = options;
    this.server = new ServedConnection({
      access,
      containers,
      output: ignore,
      failed,
      clock,
      sharedSessions,
      now: () => 0,
    });
    const initialResponse = Buffer.from(`\0${plain?.name}\0${plain?.key}`);
    this.client = new Connection({
      role: "client",
      containerId,
      hostname,
      clientSasl: plain && { hostname, mechanisms: [{ name: "PLAIN", initialResponse }] },
      now: () => 0,
      events: { opened: ignore, attach: ignore, closed: ignore, output: ignore },
    });
  }

  /** Lets bytes go to and fro; everything that one side has written is one read of the other. */
  async run(): Promise<void> {
    for (let turn = 0; turn < 20; turn++) {
      this.server.wire.receive(this.client.take());
      for (let wait = 0; wait < 20; wait++) await Promise.resolve();
      this.client.receive(this.server.wire.take());
    }
  }

  async session(): Promise<ReturnType<Connection["openSession"]>> {
    await this.run();
    return this.client.openSession();
  }

  /** Detaches every link that was received from. */
  detachAll(): void {
    for (const link of this.#receivers) link.detach();
  }

  sender(
    session: ReturnType<Connection["openSession"]>,
    address: string,
    told: unknown[] = [],
    name = `to ${address} ${Math.random()}`,
  ): SendingLink {
    const link = session.links.newSender(name);
    link.open(
      { source: { kind: "source" }, target: { kind: "target", address } },
      {
        flowed: ignore,
        disposed: (_delivery, state) => void told.push(state),
        detached: (error) => void this.detached.push(error),
      },
    );
    return link;
  }

  receiver(
    session: ReturnType<Connection["openSession"]>,
    address: string,
    got: IncomingDelivery[],
    options: {
      readonly sndSettleMode?: number;
      readonly name?: string;
      /** Gets the states that the broker has settled deliveries with. */
      readonly confirmed?: (DeliveryState | undefined)[];
    } = {},
  ): ReceivingLink {
    const { sndSettleMode = 0, name = `from ${address} ${Math.random()}`, confirmed } = options;
    const link = session.links.newReceiver(name);
    this.#receivers.push(link);
    link.open(
      { source: { kind: "source", address }, target: { kind: "target", address: name }, sndSettleMode },
      {
        delivered: (delivery) => void got.push(delivery),
        confirmed: ({ state }) => void confirmed?.push(state),
        detached: (error) => void this.detached.push(error),
      },
    );
    return link;
  }

  /** Asks for a session; resolves to its link when the broker has answered. */
  async acceptSession(
    session: ReturnType<Connection["openSession"]>,
    address: string,
    sessionId: string,
  ): Promise<ReceivingLink> {
    const link = session.links.newReceiver(`session ${sessionId} ${Math.random()}`);
    this.#receivers.push(link);
    const filter = new AmqpMap([[typed.symbol("com.microsoft:session-filter"), sessionId]]);
    link.open(
      { source: { kind: "source", address, filter }, target: { kind: "target", address: "here" }, sndSettleMode: 0 },
      { delivered: ignore, detached: (error) => void this.detached.push(error) },
    );
    await this.run();
    return link;
  }
}
