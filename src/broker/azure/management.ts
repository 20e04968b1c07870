import { encodeMessage } from "../../wire/amqp/message/encode-message.ts";
import type {
  DeleteOptions,
  ListSessionsOptions,
  PeekOptions,
  ReceiveDeferredOptions,
} from "../../core/engine/engine.ts";
import { type Delivery, lockToken, type LockToken, type Settlement } from "../../core/engine/delivery.ts";
import { typed } from "../../core/values/typed-makers.ts";
import { AmqpMap, type AmqpValue, Typed } from "../../core/values/typed.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import type { Clock } from "../../core/time/clock.ts";
import type { DeliveryState } from "../../wire/amqp/connection/delivery-state.ts";
import type { AmqpBroker } from "./broker.ts";
import { brokerError, statusError } from "./broker-errors.ts";
import { receivedDelivery } from "./received-delivery.ts";
import { withoutDelivery } from "./sent-message.ts";
import { settlementArguments } from "./settlement-state.ts";
import { dateOf, itemsOf, longOf, mapOf, numberOf, looseText } from "../../core/amqp-values/loose-value.ts";

/** The arguments of a request besides its operation. */
interface AskOptions {
  readonly associatedLinkName?: string | undefined;
  /** Ties it to a transaction. */
  readonly state?: DeliveryState | undefined;
}

type Arguments = Readonly<Record<string, AmqpValue | undefined>>;

/** Maximum number of messages that one request deletes, in every tier. */
const maxDeletedMessages = 500;
/** The time that asks for the sessions with messages. */
const anyTime = new Date(Date.UTC(9999, 11, 31, 23, 59, 59, 999));

/** The operations of the `$management` nodes of entities. */
export class Management {
  readonly #broker: AmqpBroker;
  readonly #clock: Clock;

  constructor(broker: AmqpBroker, clock: Clock) {
    this.#broker = broker;
    this.#clock = clock;
  }

  async peek(entity: string, { maxMessages, fromSequenceNumber = 0n, sessionId }: PeekOptions): Promise<Delivery[]> {
    const found: Delivery[] = [];
    let from = fromSequenceNumber;
    while (found.length < maxMessages) {
      const body = await this.#ask(entity, "peek-message", {
        "from-sequence-number": from,
        "message-count": typed.int(Math.min(maxMessages - found.length, 2 ** 31 - 1)),
        "session-id": sessionId,
      });
      const messages = messagesOf(body);
      if (messages.length === 0) break;
      for (const { message } of messages) {
        const delivery = receivedDelivery(message, undefined);
        found.push(delivery);
        from = delivery.sequenceNumber + 1n;
      }
    }
    return found;
  }

  async receiveDeferred(
    entity: string,
    sequenceNumbers: readonly bigint[],
    { receiveMode, sessionId }: ReceiveDeferredOptions,
  ): Promise<Delivery[]> {
    const isDeleting = receiveMode === "receiveAndDelete";
    const body = await this.#ask(entity, "receive-by-sequence-number", {
      "sequence-numbers": typed.array("long", sequenceNumbers),
      "receiver-settle-mode": typed.uint(isDeleting ? 0 : 1),
      "session-id": sessionId,
    });
    return messagesOf(body).map(({ message, token }) => receivedDelivery(message, isDeleting ? undefined : token));
  }

  async schedule(
    entity: string,
    envelopes: readonly Envelope[],
    state: DeliveryState | undefined,
  ): Promise<readonly bigint[]> {
    const messages = envelopes.map((envelope) => {
      const { messageId, sessionId, partitionKey, viaPartitionKey } = envelope.brokerProperties;
      return mapFrom({
        "message-id": typeof messageId === "string" ? messageId : crypto.randomUUID(),
        "session-id": sessionId,
        "partition-key": partitionKey,
        "via-partition-key": viaPartitionKey,
        message: encodeMessage(withoutDelivery(envelope)),
      });
    });
    const body = await this.#ask(entity, "schedule-message", { messages }, { state });
    return itemsOf(body?.get("sequence-numbers")).map((number) => longOf(number) ?? 0n);
  }

  async cancel(entity: string, sequenceNumbers: readonly bigint[]): Promise<void> {
    const numbers = typed.array("long", sequenceNumbers);
    await this.#ask(entity, "cancel-scheduled-message", { "sequence-numbers": numbers });
  }

  async settle(entity: string, token: LockToken, settlement: Settlement, sessionId: string | undefined): Promise<void> {
    const given = settlementArguments(settlement);
    await this.#ask(entity, "update-disposition", {
      ...given,
      "lock-tokens": lockTokens(token),
      "session-id": sessionId,
    });
  }

  async renew(entity: string, token: LockToken): Promise<Date> {
    const body = await this.#ask(entity, "renew-lock", { "lock-tokens": lockTokens(token) });
    return answered(dateOf(itemsOf(body?.get("expirations"))[0]), "expirations");
  }

  async deleteMessages(entity: string, options: DeleteOptions): Promise<number> {
    // Without a time, everything that has arrived by now is deleted.
    const before = options.beforeEnqueueTime ?? new Date(this.#clock.now() + 1);
    let deleted = 0;
    while (deleted < options.maxMessages) {
      const asked = Math.min(options.maxMessages - deleted, maxDeletedMessages);
      const body = await this.#ask(entity, "batch-delete-messages", {
        "message-count": typed.int(asked),
        "enqueued-time-utc": before,
        "session-id": options.sessionId,
      });
      const count = numberOf(body?.get("message-count")) ?? 0;
      deleted += count;
      if (count < asked) break;
    }
    return deleted;
  }

  async listSessions(entity: string, options: ListSessionsOptions): Promise<readonly string[]> {
    const { updatedAfter = anyTime, skip = 0, maxSessions = 100 } = options;
    const given = { "last-updated-time": updatedAfter, skip: typed.int(skip), top: typed.int(maxSessions) };
    const body = await this.#ask(entity, "get-message-sessions", given);
    return itemsOf(body?.get("sessions-ids")).map((id) => looseText(id) ?? "");
  }

  /** Renews the lock of a session; `link` is the name of the link that holds it. */
  async renewSessionLock(entity: string, sessionId: string, link: string): Promise<Date> {
    const body = await this.#ask(
      entity,
      "renew-session-lock",
      { "session-id": sessionId },
      { associatedLinkName: link },
    );
    return answered(dateOf(body?.get("expiration")), "expiration");
  }

  async sessionState(entity: string, sessionId: string, link: string): Promise<Uint8Array | undefined> {
    const body = await this.#ask(
      entity,
      "get-session-state",
      { "session-id": sessionId },
      { associatedLinkName: link },
    );
    const state = body?.get("session-state");
    return state instanceof Uint8Array ? new Uint8Array(state) : undefined;
  }

  async setSessionState(
    entity: string,
    session: { readonly id: string; readonly link: string },
    state: Uint8Array | undefined,
  ): Promise<void> {
    const given = { "session-id": session.id, "session-state": state ?? null };
    await this.#ask(entity, "set-session-state", given, { associatedLinkName: session.link });
  }

  /** The body of the answer; `undefined` if there is nothing. @throws SobreError the broker's refusal. */
  async #ask(
    entity: string,
    operation: string,
    given: Arguments,
    { associatedLinkName, state }: AskOptions = {},
  ): Promise<AmqpMap | undefined> {
    const answer = await this.#broker.request(
      entity,
      {
        applicationProperties: mapFrom({
          operation: `com.microsoft:${operation}`,
          "com.microsoft:server-timeout": typed.uint(this.#broker.timing.answer),
          "com.microsoft:tracking-id": crypto.randomUUID(),
          "associated-link-name": associatedLinkName,
        }),
        body: { kind: "value", value: mapFrom(given) },
      },
      state,
    );
    const properties = answer.applicationProperties;
    const status = numberOf(properties?.get("statusCode") ?? properties?.get("status-code"));
    if (status === 204) return undefined;
    if (status === 200 || status === 202) return answer.body?.kind === "value" ? mapOf(answer.body.value) : undefined;
    const description = looseText(properties?.get("statusDescription") ?? properties?.get("status-description")) ?? "";
    const condition = looseText(properties?.get("errorCondition") ?? properties?.get("error-condition"));
    throw condition === undefined ? statusError(status ?? 500, description) : brokerError({ condition, description });
  }
}

const mapFrom = (given: Arguments): AmqpMap =>
  new AmqpMap(
    Object.entries(given).flatMap(([name, value]): [string, AmqpValue][] =>
      value === undefined ? [] : [[name, value]],
    ),
  );

const lockTokens = (token: LockToken): AmqpValue => typed.array("uuid", [typed.uuid(token)]);

interface Answered {
  readonly message: Uint8Array;
  readonly token: LockToken | undefined;
}

function messagesOf(body: AmqpMap | undefined): readonly Answered[] {
  return itemsOf(body?.get("messages")).flatMap((item) => {
    const message = mapOf(item).get("message");
    const token = mapOf(item).get("lock-token");
    if (!(message instanceof Uint8Array)) return [];
    const text = token instanceof Typed && token.type === "uuid" ? looseText(token) : undefined;
    return [{ message, token: text === undefined ? undefined : lockToken(text) }];
  });
}

function answered<T>(value: T | undefined, name: string): T {
  if (value !== undefined) return value;
  throw new SobreError("GeneralError", `The broker's answer has no ${name}.`);
}
