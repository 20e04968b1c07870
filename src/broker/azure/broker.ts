import type { AmqpMessage } from "../../wire/amqp/message/amqp-message.ts";
import type { MessageInit } from "../../wire/amqp/message/write-message.ts";
import type { DeliveryState } from "../../wire/amqp/connection/delivery-state.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { closed } from "../../core/engine/refusals.ts";
import { Claims } from "./claims.ts";
import { ClientConnection, type ClientSession } from "./client-connection.ts";
import type { BrokerAddress } from "./connection-string.ts";
import { RequestLinks } from "./request-links.ts";
import { inTime, type Timing } from "./timing.ts";
import type { TokenSource } from "./tokens.ts";
import { addressOf, type Transport, unreachable } from "./transport.ts";

/** How to reach a broker. */
export interface BrokerOptions {
  readonly settings: BrokerAddress;
  readonly tokens: TokenSource;
  readonly transport: Transport;
  /** The time limits of tokens, reconnecting and requests. */
  readonly timing: Timing;
}

/** Milliseconds between attempts to connect that fail: the first, and the most. */
const backOff = { first: 200, most: 30_000 } as const;

interface Connected {
  readonly connection: ClientConnection;
  readonly claims: Claims;
  readonly management: Map<string, Promise<RequestLinks>>;
}

/** One connection to a broker, opened on first use and reopened on the next use after it was lost. */
export class AmqpBroker {
  readonly #options: BrokerOptions;
  #connecting: Promise<Connected> | undefined;
  #failures = 0;
  #notBefore = 0;
  #closed = false;

  constructor(options: BrokerOptions) {
    this.#options = options;
  }

  get timing(): Timing {
    return this.#options.timing;
  }

  /** A new session, after putting a token for the address. @throws SobreError as connecting does. */
  async session(address: string): Promise<ClientSession> {
    const { connection, claims } = await this.#connected();
    await claims.authorize(address);
    if (this.#closed) throw closed("connection");
    return connection.openSession();
  }

  /** Sends a request to an entity's management. @throws SobreError `ServiceTimeout`, `UnauthorizedAccess`, or why the connection is gone. */
  async request(entity: string, message: MessageInit, state?: DeliveryState): Promise<AmqpMessage> {
    const { management } = await this.#connected();
    const address = `${entity}/$management`;
    const key = address.toLowerCase();
    const known = management.get(key);
    const links = known === undefined ? undefined : await known;
    if (links?.open === true) return links.request(message, state);
    const opening = this.session(address).then((session) => RequestLinks.open(session, address, this.#options.timing));
    management.set(key, opening);
    opening.catch(() => management.delete(key));
    return (await opening).request(message, state);
  }

  /** Closes the connection; resolves when the broker has confirmed it. */
  async close(): Promise<void> {
    this.#closed = true;
    const connected = await this.#connecting?.catch(() => undefined);
    connected?.claims.close();
    await connected?.connection.close();
  }

  /** Drops the connection without closing it. */
  async abort(): Promise<void> {
    this.#closed = true;
    const connected = await this.#connecting?.catch(() => undefined);
    connected?.claims.close();
    connected?.connection.abort();
  }

  #connected(): Promise<Connected> {
    if (this.#closed) return Promise.reject(closed("connection"));
    if (this.#connecting !== undefined) return this.#connecting;
    const connecting = this.#connect();
    this.#connecting = connecting;
    void this.#forgetLater(connecting);
    return connecting;
  }

  /** A failed or closed connection is not used again. */
  async #forgetLater(connecting: Promise<Connected>): Promise<void> {
    try {
      const { connection, claims } = await connecting;
      await connection.over;
      claims.close();
    } catch {
      // The caller has already got the error.
    }
    if (this.#connecting === connecting) this.#connecting = undefined;
  }

  async #connect(): Promise<Connected> {
    const { settings, tokens, timing } = this.#options;
    const { clock } = timing;
    if (clock.now() < this.#notBefore)
      await new Promise<void>((due) => clock.setTimer(this.#notBefore, due).keepAlive?.(true));
    try {
      const connection = await this.#dial();
      this.#failures = 0;
      let cbs: Promise<RequestLinks> | undefined;
      const links = async (): Promise<RequestLinks> => {
        const asked = cbs;
        const known = await asked?.catch(() => undefined);
        if (known?.open === true) return known;
        // If several calls found the links gone, the first opens them again.
        if (cbs === asked) cbs = RequestLinks.open(connection.openSession(), "$cbs", timing);
        return cbs ?? links();
      };
      return { connection, claims: new Claims(settings, tokens, links, clock), management: new Map() };
    } catch (error) {
      // A client of short time-outs is not kept waiting for much longer than these.
      const most = Math.min(backOff.most, timing.answer);
      this.#notBefore = clock.now() + Math.min(backOff.first * 2 ** this.#failures++, most);
      throw error;
    }
  }

  async #dial(): Promise<ClientConnection> {
    const { settings, transport, timing } = this.#options;
    try {
      const dialing = transport(settings);
      // One that comes too late is of no use.
      const stream = await inTime(timing, "the connection", dialing).catch((error: unknown) => {
        void dialing.then(
          (late) => late.destroy(),
          () => undefined,
        );
        throw error;
      });
      return await ClientConnection.open(stream, settings.host, timing);
    } catch (error) {
      throw error instanceof SobreError ? error : unreachable(addressOf(settings), error);
    }
  }
}
