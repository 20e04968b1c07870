import { Buffer } from "node:buffer";
import { connect, type Channel, type ChannelModel, type ConfirmChannel } from "amqplib";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { brokerFailure } from "./failures.ts";

export type { Channel, ChannelModel, ConfirmChannel, GetMessage, Message, Options } from "amqplib";

/** How to reach a broker. */
export interface RabbitmqAddress {
  readonly url: string;
  /** Seconds between two signs of life. */
  readonly heartbeat: number;
  /** Options of the TLS connection, as of `tls.connect`. */
  readonly tls: object | undefined;
  /** The name of the connection on the broker's own pages. */
  readonly name: string;
}

/** The oldest version that is supported: older ones keep no time to live of messages in quorum queues. */
const oldest = [3, 10] as const;

/**
 * One connection to a broker, opened when it is needed, and again after it was lost.
 *
 * Nothing is repeated here: a call that fails with the connection is the caller's to retry, over a new one.
 */
export class RabbitmqConnection {
  readonly #address: RabbitmqAddress;
  #model: Promise<ChannelModel> | undefined;
  #blocked: string | undefined;
  /** Why the connection before has ended. */
  #failure: Error | undefined;

  constructor(address: RabbitmqAddress) {
    this.#address = address;
  }

  /** Why the broker takes no messages now, e.g. `low on disk`; `undefined` when it does. */
  get blocked(): string | undefined {
    return this.#blocked;
  }

  /** The error of the broker that has ended the connection, where a call only knows that its channel has ended. */
  reasonFor(error: unknown): unknown {
    const isEnd =
      error instanceof Error && /^(?:Channel ended|channel closed|the channel was closed)/i.test(error.message);
    return isEnd ? (this.#failure ?? error) : error;
  }

  /** Opens a channel. @throws SobreError when the broker cannot be reached. */
  async channel(): Promise<Channel> {
    const channel = await this.#opened((model) => model.createChannel());
    return channel;
  }

  /** Opens a channel on which the broker confirms each message. @throws SobreError when the broker cannot be reached. */
  confirmChannel(): Promise<ConfirmChannel> {
    return this.#opened((model) => model.createConfirmChannel());
  }

  async close(): Promise<void> {
    const model = this.#model;
    this.#model = undefined;
    await model?.then((open) => open.close()).catch(() => undefined);
  }

  async #opened<T extends Channel>(open: (model: ChannelModel) => Promise<T>): Promise<T> {
    try {
      const channel = await open(await this.#connected());
      // An error closes the channel, and whoever waits on it is answered by its end.
      channel.on("error", () => undefined);
      return channel;
    } catch (error) {
      throw brokerFailure(error, "Connecting");
    }
  }

  #connected(): Promise<ChannelModel> {
    if (this.#model !== undefined) return this.#model;
    const opening = this.#connect();
    this.#model = opening;
    const forget = (): void => {
      if (this.#model === opening) this.#model = undefined;
      this.#blocked = undefined;
    };
    opening.then((model) => model.on("close", forget), forget);
    return opening;
  }

  async #connect(): Promise<ChannelModel> {
    const { url, heartbeat, tls, name } = this.#address;
    const address = new URL(url);
    if (!address.searchParams.has("heartbeat")) address.searchParams.set("heartbeat", String(heartbeat));
    const model = await connect(address.href, {
      ...tls,
      noDelay: true,
      timeout: 10_000,
      clientProperties: { connection_name: name },
    });
    this.#failure = undefined;
    model.on("error", (error) => (this.#failure = error));
    model.on("blocked", (reason) => (this.#blocked = reason));
    model.on("unblocked", () => (this.#blocked = undefined));
    const { version } = model.connection.serverProperties;
    const [major = 0, minor = 0] = version.split(".").map(Number);
    if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) return model;
    await model.close();
    throw new SobreError(
      "InvalidOperation",
      `This RabbitMQ has the version ${version}, and ${oldest.join(".")} or newer is needed. Upgrade it.`,
    );
  }
}

/** The same bytes as a Buffer, which the driver needs. */
export const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
