import { type AmqpMessage, openMessage } from "../../amqp-message.ts";
import { type MessageInit, writeMessage } from "../../write-message.ts";
import { accepted, type DeliveryState } from "../delivery-state.ts";
import type { IncomingDelivery, ReceivingLink } from "../receiving-link.ts";
import type { SendingLink } from "../sending-link.ts";
import { wireErrorOf } from "../wire-fault.ts";

/** Requests that a client may have open at once. */
const credit = 100;
/** A request's bytes: messages to schedule travel in one. */
const maxMessageSize = 4n * 2n ** 20n;
/** Answers that wait for credit; a client that reads none gets none. */
const maxWaiting = 200;

/** Answers a request, which may be a part of a transaction. It must not reject. */
export type Respond = (request: AmqpMessage, transactionId: Uint8Array | undefined) => Promise<MessageInit>;

/** A node that answers requests, such as `$cbs`, with the links of one connection. */
export class RequestNode {
  readonly #respond: Respond;
  readonly #replies = new Map<SendingLink, Uint8Array[]>();
  #tag = 0;

  constructor(respond: Respond) {
    this.#respond = respond;
  }

  /** Opens a link that requests come in at. */
  openRequests(link: ReceivingLink): void {
    const { remote } = link;
    link.open(
      { source: remote?.source, target: remote?.target, maxMessageSize },
      {
        delivered: (delivery) => this.#requested(link, delivery),
        tooLarge: (id) =>
          link.settle(id, { kind: "rejected", error: { condition: "amqp:link:message-size-exceeded" } }),
        detached: () => undefined,
      },
    );
    link.keepCredit(credit);
  }

  /** Opens a link that answers go out at. */
  openReplies(link: SendingLink): void {
    const { remote } = link;
    this.#replies.set(link, []);
    link.open(
      { source: remote?.source, target: remote?.target },
      {
        flowed: () => this.#send(link),
        disposed: () => undefined,
        detached: () => void this.#replies.delete(link),
      },
    );
  }

  #requested(link: ReceivingLink, delivery: IncomingDelivery): void {
    let request: AmqpMessage;
    try {
      request = openMessage(delivery.payload);
      // Reading them is the check.
      void [request.properties, request.applicationProperties, request.body];
    } catch (error) {
      if (!delivery.settled) link.settle(delivery.id, { kind: "rejected", error: wireErrorOf(error) });
      return;
    }
    const transactionId = delivery.state?.kind === "transactional" ? delivery.state.transactionId : undefined;
    const state: DeliveryState =
      transactionId === undefined ? accepted : { kind: "transactional", transactionId, outcome: accepted };
    if (!delivery.settled) link.settle(delivery.id, state);
    void this.#respond(request, transactionId).then((response) => this.#answer(request, response));
  }

  #answer(request: AmqpMessage, response: MessageInit): void {
    const { messageId, correlationId, replyTo } = request.properties ?? {};
    const link = this.#linkFor(replyTo);
    const waiting = link === undefined ? undefined : this.#replies.get(link);
    if (link === undefined || waiting === undefined || waiting.length >= maxWaiting) return;
    waiting.push(writeMessage({ ...response, properties: { correlationId: messageId ?? correlationId } }));
    this.#send(link);
  }

  /** Clients name the link, its target, or nothing at all when there is but one. */
  #linkFor(replyTo: string | undefined): SendingLink | undefined {
    const links = [...this.#replies.keys()];
    return (
      links.find(
        (link) => replyTo !== undefined && (link.name === replyTo || link.remote?.target?.address === replyTo),
      ) ?? links.at(-1)
    );
  }

  #send(link: SendingLink): void {
    const waiting = this.#replies.get(link) ?? [];
    while (link.ready) {
      const payload = waiting.shift();
      if (payload === undefined) break;
      const tag = Buffer.alloc(4);
      tag.writeUInt32BE(this.#tag++ >>> 0);
      link.send({ payload, tag, settled: true });
    }
    if (link.drain) link.drained();
  }
}
