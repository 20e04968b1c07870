import { type AmqpMessage, parseMessage } from "../../../wire/amqp/message/amqp-message.ts";
import { type MessageInit, writeMessage } from "../../../wire/amqp/message/write-message.ts";
import { accepted, type DeliveryState } from "../../../wire/amqp/connection/delivery-state.ts";
import type { IncomingDelivery, ReceivingLink } from "../../../wire/amqp/connection/receiving-link.ts";
import type { SendingLink } from "../../../wire/amqp/connection/sending-link.ts";
import type { WireError } from "../../../wire/amqp/connection/wire-fault.ts";
import { SobreError } from "../../../core/errors/sobre-error.ts";
import type { AnswerGate } from "./answer-gate.ts";
import type { TransactionWork } from "./transaction-work.ts";
import type { Transactions } from "./transactions.ts";

/** The limits of a node for the client of a connection. */
export interface RequestLimits {
  /** Maximum number of unanswered requests per link. */
  readonly credit: number;
  /** Maximum size of a request, in bytes. */
  readonly maxMessageSize: number;
  /** Links for requests. */
  readonly maxLinks: number;
}

/** Limits of a node that requires a token: messages to schedule are sent in one request. */
export const managementLimits: RequestLimits = { credit: 100, maxMessageSize: 4 * 2 ** 20, maxLinks: Infinity };

/** Limits of a node that requires no token: a request holds one token. */
export const cbsLimits: RequestLimits = { credit: 4, maxMessageSize: 16 * 1024, maxLinks: 16 };

/** Answers a request, which may be work in a transaction. It must not reject. */
export type Respond = (request: AmqpMessage, work: TransactionWork | undefined) => Promise<MessageInit>;

/** A link for requests, and the number of unanswered ones. */
interface Requests {
  readonly link: ReceivingLink;
  open: number;
}

/** Credit is renewed with answers, so that no more than that many requests are waiting. */
function answered(requests: Requests, { credit }: RequestLimits): void {
  const { link } = requests;
  requests.open--;
  if (link.state === "attached" && (link.credit + requests.open) * 2 <= credit) link.grant(credit - requests.open);
}

const tooManyWaiting: WireError = {
  condition: "amqp:resource-limit-exceeded",
  description: "Too many bytes of requests are unanswered. Wait for an answer before sending the next.",
};

/** The limits of a node, and the parts of its connection that it needs. */
export interface RequestNodeOptions {
  readonly gate: AnswerGate;
  readonly transactions: Transactions;
  readonly limits: RequestLimits;
}

/** A node that answers requests, such as `$cbs`, with the links of one connection. */
export class RequestNode {
  readonly #respond: Respond;
  readonly #gate: AnswerGate;
  readonly #limits: RequestLimits;
  readonly #transactions: Transactions;
  readonly #replies = new Map<SendingLink, Uint8Array[]>();
  /** Links for requests. */
  #requestLinks = 0;
  #tag = 0;

  constructor(respond: Respond, { gate, limits, transactions }: RequestNodeOptions) {
    this.#respond = respond;
    this.#gate = gate;
    this.#limits = limits;
    this.#transactions = transactions;
  }

  /** Whether it has no links. */
  get isIdle(): boolean {
    return this.#replies.size === 0 && this.#requestLinks === 0;
  }

  /** Opens a link for requests; `left` is called when it has ended. @throws SobreError `QuotaExceeded`. */
  openRequests(link: ReceivingLink, left: () => void): void {
    const { remote } = link;
    const { credit, maxMessageSize, maxLinks } = this.#limits;
    if (link.state !== "asked") return left();
    if (this.#requestLinks >= maxLinks)
      throw new SobreError(
        "QuotaExceeded",
        `The connection already has ${maxLinks} links to this node, the maximum. Detach one first.`,
      );
    this.#requestLinks++;
    const requests: Requests = { link, open: 0 };
    link.open(
      { source: remote?.source, target: remote?.target, maxMessageSize: BigInt(maxMessageSize) },
      {
        delivered: (delivery) => this.#requested(requests, delivery),
        tooLarge: (id, _settled, state) => {
          this.#transactions.lose(state);
          link.settle(id, { kind: "rejected", error: { condition: "amqp:link:message-size-exceeded" } });
        },
        detached: () => {
          this.#requestLinks--;
          left();
        },
      },
    );
    link.grant(credit);
  }

  /** Opens a link for answers; `left` is called when it has ended. */
  openReplies(link: SendingLink, left: () => void): void {
    const { remote } = link;
    if (link.state !== "asked") return left();
    const waiting: Uint8Array[] = [];
    this.#replies.set(link, waiting);
    link.open(
      { source: remote?.source, target: remote?.target },
      {
        flowed: () => this.#send(link),
        disposed: () => undefined,
        detached: () => {
          this.#replies.delete(link);
          for (const { byteLength } of waiting) this.#gate.released(byteLength);
          left();
        },
      },
    );
  }

  #requested(requests: Requests, delivery: IncomingDelivery): void {
    const { link } = requests;
    let request: AmqpMessage;
    try {
      request = parseMessage(delivery.payload);
      // Reading them validates them.
      void [request.properties, request.applicationProperties, request.body];
    } catch (error) {
      this.#transactions.lose(delivery.state);
      if (!delivery.settled)
        link.settle(delivery.id, { kind: "rejected", error: link.session.connection.errorOf(error) });
      return;
    }
    const transactionId = delivery.state?.kind === "transactional" ? delivery.state.transactionId : undefined;
    const state: DeliveryState =
      transactionId === undefined ? accepted : { kind: "transactional", transactionId, outcome: accepted };
    const { budget } = link.session.connection;
    const size = delivery.payload.byteLength;
    if (!budget.hold(size, 0)) {
      this.#transactions.lose(delivery.state);
      if (!delivery.settled) link.settle(delivery.id, { kind: "rejected", error: tooManyWaiting });
      return;
    }
    if (!delivery.settled) link.settle(delivery.id, state);
    // Some clients expect the disposition of the request before the answer.
    link.session.flush();
    requests.open++;
    const work = transactionId === undefined ? undefined : this.#transactions.join(transactionId);
    this.#gate.enter(async () => {
      const isAnswered = this.#answer(request, await this.#respond(request, work));
      work?.end(isAnswered);
      budget.drop(size);
      answered(requests, this.#limits);
    });
  }

  /** Returns whether the answer was written, and does not wait for credit. */
  #answer(request: AmqpMessage, response: MessageInit): boolean {
    const { messageId, correlationId, replyTo } = request.properties ?? {};
    const link = this.#linkFor(replyTo);
    const waiting = link === undefined ? undefined : this.#replies.get(link);
    if (link === undefined || waiting === undefined) return false;
    const answer = writeMessage({ ...response, properties: { correlationId: messageId ?? correlationId } });
    waiting.push(answer);
    this.#gate.held(answer.byteLength);
    this.#send(link);
    return waiting.length === 0;
  }

  /** Clients name the link or its target, or neither if there is only one. */
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
      this.#gate.released(payload.byteLength);
    }
    if (link.drain) link.drained();
  }
}
