import type { Message } from "../../core/codec/message.ts";
import type { Delivery, Settlement } from "../../core/engine/delivery.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import type { MessageType } from "../../core/message/message-type.ts";
import type { Timer } from "../../core/time/clock.ts";
import type { ClientParts } from "./client-parts.ts";
import { createMessageReader } from "./message-reader.ts";
import { checkOptions, invalidOption, type OptionChecks } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";
import { readFault } from "./faults.ts";
import { notify } from "./process-error.ts";
import { type ReadMessage, readMessage } from "./received-message.ts";
import { resolveReplyTo } from "./reply-address.ts";
import { ReplyInbox } from "./reply-inbox.ts";
import { throwIfAborted } from "./attempts.ts";
import { createSender, type Sender } from "./sender.ts";
import { unreadableSettlement } from "./dead-lettering.ts";

/** Options of a requester. */
export interface RequesterOptions<Types extends readonly MessageType[] = readonly MessageType[]> {
  /** The reply address: a queue of this requester, a queue shared through sessions, or a topic. */
  readonly replyTo: string;
  /** Where replies are received. Default: `replyTo`; for a topic, name the subscription. */
  readonly receiveFrom?: string | undefined;
  /** The session for the replies, on a shared queue; `true` generates an id. Default: none. */
  readonly replyToSessionId?: string | true | undefined;
  /** The message types of replies. Default: any body, unchanged. */
  readonly messageTypes?: Types | undefined;
  /** Called for errors outside a request: a lost link, an unexpected reply. Errors that it throws are ignored. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Options of a request. */
export interface RequestOptions {
  /** Milliseconds to wait for replies; also the request's time to live, unless it has one. Default: 60,000. */
  readonly timeoutInMs?: number | undefined;
  readonly abortSignal?: AbortSignal | undefined;
}

/** Options of {@link Requester.requestMany}. */
export interface RequestManyOptions extends RequestOptions {
  /**
   * Called with the `RequestFailed` of each responder that failed, while the others go on. Errors that it throws are
   * ignored. Default: the first one ends the request.
   */
  readonly onFault?: ((fault: SobreError) => void) | undefined;
  /** Ends after this many replies. Default: when the time is over. */
  readonly maxReplies?: number | undefined;
}

/** Sends requests and receives their replies, matched by correlation id. */
export interface Requester<Reply> extends AsyncDisposable {
  /** The session of the replies, if they use one. */
  readonly replyToSessionId: string | undefined;
  /**
   * Resolves to the first reply.
   *
   * @throws SobreError `RequestFailed` when the responder failed, with its code as `reason`; `ServiceTimeout` when no
   * reply arrives in time; the error of an unreadable reply.
   * @example
   * ```ts
   * const responder = client.startResponder("billing", {
   *   processRequest: () => Promise.reject(Object.assign(new Error("no card"), { code: "CardDeclined" })),
   *   processError: () => undefined,
   * });
   * const requester = client.createRequester("billing", { replyTo: "replies" });
   * const error = await requester.request({ body: 7 }).catch(SobreError.from);
   * if (isSobreError(error)) console.log(error.code, error.reason); // RequestFailed CardDeclined
   * await responder.close();
   * ```
   */
  request(message: Message, options?: RequestOptions): Promise<Reply>;
  /** Yields the replies as they arrive, until the time is over. */
  requestMany(message: Message, options?: RequestManyOptions): AsyncGenerator<Reply, void, undefined>;
  close(): Promise<void>;
}

type ReplyArrival<Reply> =
  | { readonly ok: true; readonly reply: Reply }
  | { readonly ok: false; readonly error: unknown; readonly fault?: SobreError };

const requesterChecks: OptionChecks<RequesterOptions> = {
  replyTo: is.entityName,
  receiveFrom: is.entityName,
  replyToSessionId: (value) =>
    value === true || (typeof value === "string" && value !== "")
      ? undefined
      : "must be a session id, or true to generate one",
  messageTypes: is.messageTypes,
  onError: is.aFunction,
};

const requestChecks: OptionChecks<RequestManyOptions> = {
  timeoutInMs: is.milliseconds,
  maxReplies: is.countFrom(1),
  onFault: is.aFunction,
  abortSignal: is.abortSignal,
};

/**
 * Creates a requester; replies are received from the first request on. @throws SobreError `InvalidArgument` naming the
 * option.
 */
export function createRequester<const Types extends readonly MessageType[] = readonly []>(
  entityPath: string,
  parts: ClientParts,
  options: RequesterOptions<Types>,
): Requester<ReadMessage<Types>> {
  type Reply = ReadMessage<Types>;
  checkOptions(options, requesterChecks, { needed: ["replyTo"] });
  const { replyTo, receiveFrom = resolveReplyTo(replyTo) } = options;
  const onError = (error: unknown): void => notify(options.onError, error);
  const sessionId = options.replyToSessionId === true ? crypto.randomUUID() : options.replyToSessionId;
  const pending = new Map<string, ReplyQueue<Reply>>();
  const read = createMessageReader(parts, options.messageTypes);
  const deliver = async (delivery: Delivery): Promise<Settlement> => {
    const { envelope } = delivery;
    const waiting = pending.get(String(envelope.brokerProperties.correlationId));
    if (waiting === undefined) {
      onError(
        new SobreError(
          "MessageNotFound",
          "Received a reply that no request is waiting for: it is late, or meant for another requester.",
        ),
      );
      return { kind: "complete" };
    }
    const fault = readFault(envelope, entityPath);
    if (fault !== undefined) {
      waiting.push({ ok: false, error: fault, fault });
      return { kind: "complete" };
    }
    const result = await read(envelope);
    waiting.push(
      result.ok
        ? { ok: true, reply: readMessage<Types>(delivery, result, parts.replies) }
        : { ok: false, error: result.error },
    );
    return result.ok ? { kind: "complete" } : unreadableSettlement(envelope, result);
  };
  const failed = (error: unknown): void => {
    for (const replies of pending.values()) replies.push({ ok: false, error });
  };
  const inbox = new ReplyInbox(parts, { entityPath: receiveFrom, sessionId, deliver, failed, onError });
  const sender: Sender = createSender(entityPath, { ...parts, closed: () => undefined });
  const requestMany = async function* (
    message: Message,
    requestOptions: RequestManyOptions = {},
  ): AsyncGenerator<Reply, void, undefined> {
    checkOptions(requestOptions, requestChecks);
    const { timeoutInMs = 60_000, maxReplies = Infinity, abortSignal, onFault } = requestOptions;
    if (typeof message !== "object" || message === null) throw invalidOption("message", "must be a message");
    throwIfAborted(abortSignal);
    const messageId = message.messageId ?? crypto.randomUUID();
    const id = String(messageId);
    if (pending.has(id))
      throw invalidOption("message.messageId", "is already in use by a request that is waiting for its reply");
    const replies = new ReplyQueue<Reply>();
    pending.set(id, replies);
    const over = new AbortController();
    const end = (): void => {
      over.abort();
      replies.end();
    };
    const timer: Timer = parts.clock.setTimer(parts.clock.now() + timeoutInMs, end);
    timer.keepAlive?.(true);
    abortSignal?.addEventListener("abort", end);
    try {
      const timeToLive = message.timeToLive ?? timeToLiveOf(timeoutInMs);
      const request = { ...message, messageId, replyTo, replyToSessionId: sessionId, timeToLive };
      if (await replies.unlessOver(inbox.open())) {
        // A request that could not be sent in time is not retried: nothing would wait for its reply.
        await replies.unlessOver(sender.sendMessages(request, { abortSignal: over.signal }));
      }
      let count = 0;
      while (count < maxReplies) {
        const arrival = await replies.next();
        throwIfAborted(abortSignal);
        if (arrival === undefined) return;
        if (arrival.ok) {
          count++;
          yield arrival.reply;
        } else {
          const { error, fault } = arrival;
          if (fault === undefined || onFault === undefined) throw error;
          notify(onFault, fault);
        }
      }
    } finally {
      pending.delete(id);
      timer.cancel();
      abortSignal?.removeEventListener("abort", end);
    }
  };
  return {
    replyToSessionId: sessionId,
    requestMany,
    async request(message, requestOptions) {
      for await (const reply of requestMany(message, { ...requestOptions, maxReplies: 1 })) return reply;
      throw new SobreError("ServiceTimeout", `No reply arrived at "${receiveFrom}" in time.`);
    },
    async close() {
      await parts.closed();
      for (const replies of pending.values()) {
        replies.push({
          ok: false,
          error: new SobreError("Closed", "The requester was closed before the reply arrived."),
        });
      }
      await Promise.all([inbox.close(), sender.close()]);
    },
    [Symbol.asyncDispose]() {
      return this.close();
    },
  };
}

/**
 * Splits the options of a request with a temporary requester into those of the requester and those of the request.
 *
 * @throws SobreError `InvalidArgument` naming the option.
 */
export function oneRequest<Types extends readonly MessageType[]>(
  options: RequesterOptions<Types> & RequestManyOptions,
): readonly [RequesterOptions<Types>, RequestManyOptions] {
  checkOptions(options, { ...requesterChecks, ...requestChecks }, { needed: ["replyTo"] });
  const { replyTo, receiveFrom, replyToSessionId, messageTypes, onError, ...request } = options;
  return [{ replyTo, receiveFrom, replyToSessionId, messageTypes, onError }, request];
}

/** The replies to one request, in order of arrival. */
class ReplyQueue<Reply> {
  readonly #arrived: ReplyArrival<Reply>[] = [];
  #ended = false;
  #wake: (() => void) | undefined;

  /** Waits for a step before the first reply; resolves to whether there is still time. @throws what the step throws. */
  async unlessOver(step: Promise<void>): Promise<boolean> {
    await Promise.race([step, new Promise<void>((resolve) => (this.#wake = resolve))]);
    return !this.#ended;
  }

  push(arrival: ReplyArrival<Reply>): void {
    this.#arrived.push(arrival);
    this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  async next(): Promise<ReplyArrival<Reply> | undefined> {
    if (this.#arrived.length === 0 && !this.#ended) await new Promise<void>((resolve) => (this.#wake = resolve));
    return this.#arrived.shift();
  }
}

/** A request is useless once its time is over; without a time to live it would stay in the queue. */
function timeToLiveOf(timeoutInMs: number): number | undefined {
  return Number.isFinite(timeoutInMs) ? Math.max(1, Math.ceil(timeoutInMs)) : undefined;
}
