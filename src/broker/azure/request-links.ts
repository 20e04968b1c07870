import { type AmqpMessage, parseMessage } from "../../wire/amqp/message/amqp-message.ts";
import { type MessageInit, writeMessage } from "../../wire/amqp/message/write-message.ts";
import { accepted, type DeliveryState } from "../../wire/amqp/connection/delivery-state.ts";
import type { ReceivingLink } from "../../wire/amqp/connection/receiving-link.ts";
import type { SendingLink } from "../../wire/amqp/connection/sending-link.ts";
import type { SobreError } from "../../core/errors/sobre-error.ts";
import { brokerError } from "./broker-errors.ts";
import type { ClientSession } from "./client-connection.ts";
import { openReceiving, openSending } from "./open-link.ts";
import { inTime, type Timing } from "./timing.ts";

/** Answers that the broker may send ahead. */
const credit = 100;

interface WaitingRequest {
  readonly resolve: (answer: AmqpMessage) => void;
  readonly reject: (error: SobreError) => void;
}

interface Unsent {
  readonly payload: Uint8Array;
  readonly state: DeliveryState | undefined;
}

/** A pair of links to a node that answers requests: `$cbs`, or an entity's `$management`. */
export class RequestLinks {
  readonly #session: ClientSession;
  readonly #timing: Timing;
  readonly #replyTo: string;
  readonly #waiting = new Map<string, WaitingRequest>();
  readonly #unsent: Unsent[] = [];
  #sending: SendingLink | undefined;
  #next = 0;
  #gone: SobreError | undefined;

  private constructor(session: ClientSession, timing: Timing, replyTo: string) {
    this.#session = session;
    this.#timing = timing;
    this.#replyTo = replyTo;
  }

  /** Opens both links. @throws SobreError as the broker refuses. */
  static async open(session: ClientSession, address: string, timing: Timing): Promise<RequestLinks> {
    const isCbs = address === "$cbs";
    const replyTo = `${isCbs ? "cbs" : "management"}-${crypto.randomUUID()}`;
    const links = new RequestLinks(session, timing, replyTo);
    const gone = (error: SobreError): void => links.#end(error);
    // On $cbs the link's name is the address to reply to, and its target has no address.
    const target = isCbs ? ({ kind: "target" } as const) : ({ kind: "target", address: replyTo } as const);
    const receiving = openReceiving(session, {
      name: replyTo,
      timing,
      setup: { source: { kind: "source", address }, target, rcvSettleMode: 0 },
      events: { delivered: (delivery, link) => links.#answered(delivery, link), gone },
    });
    const sending = openSending(session, {
      name: `${replyTo}-requests`,
      timing,
      setup: { source: { kind: "source", address: replyTo }, target: { kind: "target", address } },
      events: {
        flowed: () => links.#send(),
        disposed: (state) => {
          if (state?.kind === "rejected") gone(brokerError(state.error ?? { condition: "amqp:internal-error" }));
        },
        gone,
      },
    });
    const [requests, answers] = await Promise.all([sending, receiving]);
    links.#sending = requests;
    answers.keepCredit(credit);
    return links;
  }

  /** Whether requests can still be made. */
  get open(): boolean {
    return this.#gone === undefined;
  }

  /** Sends a request, whose `state` may tie it to a transaction; resolves to the answer, whatever its status. @throws SobreError `ServiceTimeout`, or why the links are gone. */
  request(message: MessageInit, state?: DeliveryState): Promise<AmqpMessage> {
    if (this.#gone !== undefined) return Promise.reject(this.#gone);
    const messageId = `${this.#replyTo}:${this.#next++}`;
    const { properties, ...rest } = message;
    const payload = writeMessage({ ...rest, properties: { ...properties, messageId, replyTo: this.#replyTo } });
    this.#unsent.push({ payload, state });
    const answered = new Promise<AmqpMessage>((resolve, reject) => {
      this.#waiting.set(messageId, { resolve, reject });
      this.#send();
    });
    return inTime(this.#timing, "a request", answered).finally(() => this.#waiting.delete(messageId));
  }

  close(): void {
    this.#session.end();
  }

  #send(): void {
    const link = this.#sending;
    if (link === undefined) return;
    while (link.ready) {
      const unsent = this.#unsent.shift();
      if (unsent === undefined) return;
      const tag = Buffer.alloc(4);
      tag.writeUInt32BE(this.#next >>> 0);
      link.send({ ...unsent, tag, settled: false });
    }
  }

  #answered(
    { id, payload, settled }: { id: number; payload: Uint8Array; settled: boolean },
    link: ReceivingLink,
  ): void {
    if (!settled) link.settle(id, accepted);
    let answer: AmqpMessage;
    let key: unknown;
    try {
      answer = parseMessage(payload);
      key = answer.properties?.correlationId;
    } catch {
      // An answer that cannot be read belongs to nobody; the request times out.
      return;
    }
    const waiting = typeof key === "string" ? this.#waiting.get(key) : undefined;
    if (waiting === undefined || typeof key !== "string") return;
    waiting.resolve(answer);
  }

  #end(error: SobreError): void {
    if (this.#gone !== undefined) return;
    this.#gone = error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
    // One link without the other is of no use.
    this.#session.end();
  }
}
