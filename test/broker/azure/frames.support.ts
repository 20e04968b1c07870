import { Duplex } from "node:stream";
import { type AmqpMessage, parseMessage } from "../../../src/wire/amqp/message/amqp-message.ts";
import { writeMessage } from "../../../src/wire/amqp/message/write-message.ts";
import {
  Connection,
  type IncomingDelivery,
  ReceivingLink,
  SendingLink,
} from "../../../src/wire/amqp/connection/index.ts";
import type { Transport } from "../../../src/broker/azure/index.ts";

/** A link that the engine asked for. */
export type Asked = SendingLink | ReceivingLink;

/** A broker of the tests' own, that notes what an engine asks for and answers as the test says. */
export class ScriptedBroker {
  /** Every link asked for, but those of `$cbs`. */
  readonly links: Asked[] = [];
  /** Requests to `$cbs`. */
  readonly claims: AmqpMessage[] = [];
  /** Connections made. */
  connections = 0;
  /** The answer to the attach of a link. Default: it is opened. */
  onLink: (link: Asked) => void = (link) => open(link, () => undefined);
  #cut: () => void = () => undefined;
  #replies: SendingLink | undefined;

  /** Leads an engine here. */
  readonly transport: Transport = () => Promise.resolve(this.#accept());

  /** Cuts the connection. */
  cut(): void {
    this.#cut();
  }

  #accept(): Duplex {
    this.connections++;
    const stream: Duplex = new Duplex({
      read: () => undefined,
      write: (chunk: Uint8Array, _encoding, done) => {
        wire.receive(chunk);
        done();
      },
    });
    const wire = new Connection({
      role: "server",
      containerId: "scripted",
      now: () => 0,
      serverSasl: { mechanisms: ["MSSBCBS"], verify: () => true },
      events: {
        opened: () => undefined,
        attach: (link) => this.#attach(link),
        closed: () => undefined,
        output: () => setImmediate(() => void stream.push(wire.take())),
      },
    });
    this.#cut = () => void stream.destroy();
    return stream;
  }

  #attach(link: Asked): void {
    const { remote } = link;
    if ((link instanceof ReceivingLink ? remote?.target : remote?.source)?.address !== "$cbs") {
      this.links.push(link);
      this.onLink(link);
      return;
    }
    if (link instanceof SendingLink) this.#replies = link;
    open(link, (delivery) => {
      const request = parseMessage(delivery.payload);
      this.claims.push(request);
      const properties = { correlationId: request.properties?.messageId };
      const payload = writeMessage({ properties, applicationProperties: { "status-code": 202 } });
      this.#replies?.send({ payload, tag: Uint8Array.of(this.claims.length), settled: true });
    });
  }
}

/** Opens a link as a broker does. */
export function open(link: Asked, delivered: (delivery: IncomingDelivery, link: ReceivingLink) => void): void {
  const { remote } = link;
  const termini = { source: remote?.source, target: remote?.target, maxMessageSize: 262_144n };
  if (link instanceof SendingLink) {
    link.open(termini, { flowed: () => undefined, disposed: () => undefined, detached: () => undefined });
    return;
  }
  link.open(termini, { delivered: (delivery) => delivered(delivery, link), detached: () => undefined });
  link.keepCredit(100);
}
