import { amqp, fromTypedJson, toTypedJson } from "../../codecs/amqp/index.ts";
import { bytes } from "../../codecs/bytes/index.ts";
import { createSerializer, type Serializer } from "../../src/core/codec/index.ts";
import { azureEngine } from "../../src/broker/azure/index.ts";
import { createEnvelope, type Envelope } from "../../src/core/envelope/index.ts";
import { AmqpMap, type AmqpValue, Typed } from "../../src/core/values/index.ts";
import { type ValueCase, valueCases } from "./crosswise.support.ts";

const nothing = new Uint8Array(0);
const serializer: Serializer = createSerializer({
  codecs: [bytes(), amqp({ mode: "typed" })],
  assume: "application/octet-stream",
});

/** Sends each case through the engine over AMQP, encoded by the serializer. */
export async function writeByOurs(connectionString: string, topic: string): Promise<readonly ValueCase[]> {
  const engine = azureEngine({ connectionString });
  const sender = await engine.openSender(topic);
  const lines: (ValueCase & { readonly cannot?: string })[] = [];
  for (const one of valueCases)
    if (one.kind === "data" && one.values.length > 1) lines.push({ ...one, cannot: "an envelope has one payload" });
    else {
      await sender.send([envelopeOf(one)]);
      lines.push(one);
    }
  await engine.close();
  return lines;
}

function envelopeOf({ name, kind, values }: ValueCase): Envelope {
  const [first = null, ...others]: readonly AmqpValue[] = values.map((value) => fromTypedJson(value));
  if (kind === "property") {
    if (first instanceof AmqpMap || isList(first)) throw new Error("A property is a simple value.");
    return createEnvelope({
      payload: nothing,
      brokerProperties: { subject: name },
      applicationProperties: { value: first },
    });
  }
  const body = kind === "sequence" ? [first, ...others] : first;
  const how = kind === "data" ? { contentType: "application/octet-stream" } : { bodyKind: kind };
  return serializer.serialize({ body, subject: name, ...how });
}

/** Receives what a subscription holds through the engine over AMQP, and reads it with the deserializer chain. */
export async function readByOurs(
  connectionString: string,
  topic: string,
  subscription: string,
): Promise<readonly ValueCase[]> {
  const engine = azureEngine({ connectionString });
  const receiver = await engine.openReceiver(`${topic}/Subscriptions/${subscription}`, {
    receiveMode: "receiveAndDelete",
  });
  const lines: ValueCase[] = [];
  for (;;) {
    const deliveries = await receiver.receive({ maxMessages: 100, maxWaitTimeInMs: 200 });
    if (deliveries.length === 0) break;
    lines.push(...deliveries.map(({ envelope }) => told(envelope)));
  }
  await engine.close();
  return lines;
}

function told(envelope: Envelope): ValueCase {
  const { brokerProperties, applicationProperties, bodyKind } = envelope;
  const name = brokerProperties.subject ?? "";
  const { value } = applicationProperties;
  if (value !== undefined) return { name, kind: "property", values: [toTypedJson(value)] };
  const result = serializer.deserialize(envelope);
  if (!result.ok) throw result.error;
  if (result.body === undefined) return { name, kind: bodyKind, values: [] };
  const values: readonly unknown[] =
    bodyKind === "sequence" && Array.isArray(result.body) ? result.body : [result.body];
  return { name, kind: bodyKind, values: values.map((item) => toTypedJson(amqpValue(item))) };
}

const isList = (value: AmqpValue): value is readonly AmqpValue[] => Array.isArray(value);

function amqpValue(value: unknown): AmqpValue {
  if (isAmqpValue(value)) return value;
  throw new Error("The chain gave a value that AMQP lacks.");
}

function isAmqpValue(value: unknown): value is AmqpValue {
  if (Array.isArray(value)) return value.every(isAmqpValue);
  if (typeof value !== "object" || value === null) return value !== undefined;
  return [AmqpMap, Typed, Date, Uint8Array].some((type) => value instanceof type);
}
