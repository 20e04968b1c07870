import { parseMessage } from "../../../../src/wire/amqp/message/amqp-message.ts";
import { writeMessage } from "../../../../src/wire/amqp/message/write-message.ts";
import type { DeliveryState, IncomingDelivery } from "../../../../src/wire/amqp/connection/index.ts";
import { typed } from "../../../../src/core/values/typed-makers.ts";
import { AmqpMap, type AmqpValue } from "../../../../src/core/values/typed.ts";
import type { BrokerPair } from "./broker-pair.support.ts";

const tag = (number: number): Uint8Array => Uint8Array.of(number);

/** A message of a transaction's coordinator. */
const described = (descriptor: number, ...fields: AmqpValue[]): Uint8Array =>
  writeMessage({ body: { kind: "value", value: typed.described(typed.ulong(descriptor), fields) } });

/** Writes a request, in a transaction when one is given. */
type Ask = (operation: string, body: Readonly<Record<string, AmqpValue>>, transactionId?: Uint8Array) => void;

/** Opens links to a `$management` node; its answers are added to `answers`. */
export async function requests(pair: BrokerPair, entity: string, answers: IncomingDelivery[] = []): Promise<Ask> {
  const session = await pair.session();
  const replyTo = crypto.randomUUID();
  const link = pair.sender(session, `${entity}/$management`);
  pair.receiver(session, `${entity}/$management`, answers, { name: replyTo }).grant(10);
  await pair.run();
  let asked = 0;
  return (operation, body, transactionId) => {
    const payload = writeMessage({
      properties: { messageId: "request", replyTo },
      applicationProperties: { operation: `com.microsoft:${operation}` },
      body: { kind: "value", value: new AmqpMap(Object.entries(body)) },
    });
    const state = transactionId === undefined ? undefined : ({ kind: "transactional", transactionId } as const);
    link.send({ payload, tag: tag(++asked), settled: false, state });
  };
}

/** Sends a request to a `$management` node; resolves to the answer. */
export async function request(
  pair: BrokerPair,
  entity: string,
  ...asked: Parameters<Ask>
): Promise<ReturnType<typeof parseMessage>> {
  const answers: IncomingDelivery[] = [];
  const ask = await requests(pair, entity, answers);
  ask(...asked);
  await pair.run();
  return parseMessage(answers[0]?.payload ?? new Uint8Array());
}

/** Puts a token; resolves to the status of the answer. */
export async function putToken(pair: BrokerPair, token: string): Promise<AmqpValue | undefined> {
  const session = await pair.session();
  const answers: IncomingDelivery[] = [];
  const replyTo = crypto.randomUUID();
  const link = pair.sender(session, "$cbs");
  pair.receiver(session, "$cbs", answers, { name: replyTo }).grant(10);
  await pair.run();
  const payload = writeMessage({
    properties: { messageId: "token", replyTo },
    applicationProperties: { operation: "put-token" },
    body: { kind: "value", value: token },
  });
  link.send({ payload, tag: tag(1), settled: false });
  await pair.run();
  return parseMessage(answers[0]?.payload ?? new Uint8Array()).applicationProperties?.get("status-code");
}

/** An open transaction of a connection. */
interface Declared {
  readonly id: Uint8Array;
  /** The state of messages and outcomes in it. */
  readonly state: { readonly kind: "transactional"; readonly transactionId: Uint8Array };
  /** Writes the discharge after what was written before. */
  readonly write: (fail: boolean) => void;
  /** Writes the discharge; resolves to its answer. */
  readonly discharge: (fail: boolean) => Promise<DeliveryState | undefined>;
  /** Closes the link to the coordinator. */
  readonly close: () => Promise<void>;
  /** The answer to the discharge. */
  readonly answer: () => DeliveryState | undefined;
}

/** Begins a transaction over the connection; the link to its coordinator is on the session given, or on one of its own. */
export async function declared(
  pair: BrokerPair,
  given?: Awaited<ReturnType<BrokerPair["session"]>>,
): Promise<Declared> {
  const session = given ?? (await pair.session());
  const told: (DeliveryState | undefined)[] = [];
  const link = session.links.newSender(`coordinator ${Math.random()}`);
  link.open(
    { source: { kind: "source" }, target: { kind: "coordinator" } },
    {
      flowed: () => undefined,
      disposed: (_delivery, state) => void told.push(state),
      detached: () => undefined,
    },
  );
  await pair.run();
  link.send({ payload: described(0x31, null), tag: tag(1), settled: false });
  await pair.run();
  const [first] = told;
  const id = first?.kind === "declared" ? first.transactionId : new Uint8Array();
  const write = (fail: boolean): void =>
    void link.send({ payload: described(0x32, id, fail), tag: tag(2), settled: false });
  return {
    id,
    state: { kind: "transactional", transactionId: id },
    write,
    async discharge(fail) {
      write(fail);
      await pair.run();
      return told[1];
    },
    async close() {
      link.detach();
      await pair.run();
    },
    answer: () => told[1],
  };
}
