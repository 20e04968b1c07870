import { openMessage } from "../../../../src/wire/amqp/message/amqp-message.ts";
import { writeMessage } from "../../../../src/wire/amqp/message/write-message.ts";
import type { IncomingDelivery } from "../../../../src/wire/amqp/connection/index.ts";
import { typed } from "../../../../src/core/values/typed-makers.ts";
import { AmqpMap, type AmqpValue } from "../../../../src/core/values/typed.ts";
import type { BrokerPair } from "./broker-pair.support.ts";

const tag = (number: number): Uint8Array => Uint8Array.of(number);

/** A message of a transaction's coordinator. */
const described = (descriptor: number, ...fields: AmqpValue[]): Uint8Array =>
  writeMessage({ body: { kind: "value", value: typed.described(typed.ulong(descriptor), fields) } });

/** Sends a request to a `$management` node, in a transaction when one is given. */
export async function request(
  pair: BrokerPair,
  entity: string,
  operation: string,
  body: Readonly<Record<string, AmqpValue>>,
  transactionId?: Uint8Array,
): Promise<ReturnType<typeof openMessage>> {
  const session = await pair.session();
  const answers: IncomingDelivery[] = [];
  const replyTo = crypto.randomUUID();
  const requests = pair.sender(session, `${entity}/$management`);
  pair.receiver(session, `${entity}/$management`, answers, { name: replyTo }).grant(10);
  await pair.run();
  const payload = writeMessage({
    properties: { messageId: "request", replyTo },
    applicationProperties: { operation: `com.microsoft:${operation}` },
    body: { kind: "value", value: new AmqpMap(Object.entries(body)) },
  });
  const state = transactionId === undefined ? undefined : ({ kind: "transactional", transactionId } as const);
  requests.send({ payload, tag: tag(1), settled: false, state });
  await pair.run();
  return openMessage(answers[0]?.payload ?? new Uint8Array());
}

/** Puts a token; resolves to the status of the answer. */
export async function putToken(pair: BrokerPair, token: string): Promise<AmqpValue | undefined> {
  const session = await pair.session();
  const answers: IncomingDelivery[] = [];
  const replyTo = crypto.randomUUID();
  const requests = pair.sender(session, "$cbs");
  pair.receiver(session, "$cbs", answers, { name: replyTo }).grant(10);
  await pair.run();
  const payload = writeMessage({
    properties: { messageId: "token", replyTo },
    applicationProperties: { operation: "put-token" },
    body: { kind: "value", value: token },
  });
  requests.send({ payload, tag: tag(1), settled: false });
  await pair.run();
  return openMessage(answers[0]?.payload ?? new Uint8Array()).applicationProperties?.get("status-code");
}

/** A transaction that was begun over the connection. */
export async function declared(pair: BrokerPair): Promise<{
  readonly id: Uint8Array;
  readonly discharge: (fail: boolean) => Promise<void>;
  /** Closes the link to the coordinator. */
  readonly close: () => Promise<void>;
}> {
  const session = await pair.session();
  const told: { transactionId?: Uint8Array }[] = [];
  const link = session.links.newSender("coordinator");
  link.open(
    { source: { kind: "source" }, target: { kind: "coordinator" } },
    {
      flowed: () => undefined,
      disposed: (_delivery, state) => void told.push(state?.kind === "declared" ? state : {}),
      detached: () => undefined,
    },
  );
  await pair.run();
  link.send({ payload: described(0x31, null), tag: tag(1), settled: false });
  await pair.run();
  const id = told[0]?.transactionId ?? new Uint8Array();
  const discharge = async (fail: boolean): Promise<void> => {
    link.send({ payload: described(0x32, id, fail), tag: tag(2), settled: false });
    await pair.run();
  };
  const close = async (): Promise<void> => {
    link.detach();
    await pair.run();
  };
  return { id, discharge, close };
}
