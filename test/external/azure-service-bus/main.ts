import { readFileSync } from "node:fs";
import { ServiceBusClient, type ServiceBusMessage, type ServiceBusReceivedMessage } from "@azure/service-bus";
import rhea from "rhea";
import { runLoad } from "./load.support.ts";
import { runRestart } from "./restart.support.ts";
import type { TypedJson } from "../../../codecs/amqp/index.ts";
import type { ValueCase } from "../crosswise.support.ts";
import { typedOf } from "../crosswise-losses.support.ts";

/**
 * The commands `--write`, `--read` and `--load` with the official JavaScript client, as the programs of the other clients
 * have them: values of every AMQP type, and a load of messages.
 */
const [command, connectionString = "", , entity = "", ...rest] = process.argv.slice(2);
const client = new ServiceBusClient(connectionString);

const { types } = rhea;
const print = (line: object): void => console.log(JSON.stringify(line));
const bytesOf = (hex: unknown): Buffer => Buffer.from(String(hex), "hex");

/** 8 bytes, which the AMQP library below the client takes for integers beyond 2^53. */
function int64(text: unknown): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt.asUintN(64, BigInt(String(text))));
  return bytes;
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The value as the client takes it; types that JavaScript lacks are those of the AMQP library below it. */
function native({ t, v }: TypedJson): unknown {
  switch (t) {
    case "null":
      return null;
    case "boolean":
    case "string":
      return v;
    case "byte":
      return types.wrap_byte(Number(v));
    case "short":
      return types.wrap_short(Number(v));
    case "int":
      return types.wrap_int(Number(v));
    case "long":
      return types.wrap_long(int64(v));
    case "ubyte":
      return types.wrap_ubyte(Number(v));
    case "ushort":
      return types.wrap_ushort(Number(v));
    case "uint":
      return types.wrap_uint(Number(v));
    case "ulong":
      return types.wrap_ulong(int64(v));
    case "float":
      return types.wrap_float(bytesOf(v).readFloatBE());
    case "double":
      return bytesOf(v).readDoubleBE();
    case "char":
      return types.wrap_char(v);
    case "timestamp":
      return new Date(Number(v));
    case "uuid":
      return types.wrap_uuid(bytesOf(String(v).replaceAll("-", "")));
    case "binary":
      return bytesOf(v);
    case "symbol":
      return types.wrap_symbol(v);
    case "list":
      return listOf(v).map((item) => native(typedOf(item)));
    case "map":
      return new Map(listOf(v).map((pair) => pairOf(pair)));
    case "array":
      return types.wrap_array(listOf(v), 0x71, undefined);
    default:
      throw new Error(`it has no ${t}`);
  }
}

function pairOf(pair: unknown): readonly [unknown, unknown] {
  const [key, item] = listOf(pair);
  return [native(typedOf(key)), native(typedOf(item))];
}

function shown(value: unknown): TypedJson {
  switch (typeof value) {
    case "boolean":
      return { t: "boolean", v: value };
    case "string":
      return { t: "string", v: value };
    case "number":
      return { t: "number", v: `${value}` };
    default:
  }
  if (value === null) return { t: "null" };
  if (value instanceof Date) return { t: "timestamp", v: `${value.getTime()}` };
  if (value instanceof Uint8Array) return { t: "binary", v: Buffer.from(value).toString("hex") };
  if (Array.isArray(value)) return { t: "list", v: value.map(shown) };
  return { t: "map", v: Object.entries(value ?? {}).map(([key, item]) => [shown(key), shown(item)]) };
}

function messageOf({ name, kind, values }: ValueCase): ServiceBusMessage {
  const [first = { t: "null" }, ...others] = values;
  switch (kind) {
    case "property":
      return withProperty({ body: Buffer.alloc(0), subject: name }, native(first));
    case "data":
      if (others.length > 0) throw new Error("it has one data section");
      return { body: bytesOf(first.v), subject: name };
    case "sequence":
      return annotated(name, "sequence", values.map(native));
    case "value":
      return annotated(name, "value", native(first));
    default:
      throw new Error(`There is no kind ${String(kind satisfies never)}.`);
  }
}

/** Its types know no values of the library below. */
function withProperty(message: ServiceBusMessage, value: unknown): ServiceBusMessage {
  Object.assign(message, { applicationProperties: { value } });
  return message;
}

const annotated = (subject: string, bodyType: "sequence" | "value", body: unknown): ServiceBusMessage =>
  Object.assign({ body, bodyType }, { properties: { subject } });

/** Sends the cases of a file, and prints for each its name, and why the client `cannot` send it. */
async function write(): Promise<void> {
  const cases: readonly ValueCase[] = JSON.parse(readFileSync(rest[0] ?? "", "utf8"));
  const sender = client.createSender(entity);
  for (const one of cases)
    try {
      await sender.sendMessages(messageOf(one));
      print({ name: one.name });
    } catch (error) {
      print({ name: one.name, cannot: String(error) });
    }
}

function told({
  body,
  applicationProperties = {},
  _rawAmqpMessage: raw,
}: ServiceBusReceivedMessage): Omit<ValueCase, "name"> {
  const { bodyType: kind = "data" } = raw;
  if ("value" in applicationProperties) return { kind: "property", values: [shown(applicationProperties["value"])] };
  if (body === undefined) return { kind, values: [] };
  return { kind, values: kind !== "value" && Array.isArray(body) ? body.map(shown) : [shown(body)] };
}

/** Prints for each message its name, kind and values, with the types that the client shows. */
async function read(): Promise<void> {
  const [subscription = "", count = ""] = rest;
  const receiver = client.createReceiver(entity, subscription, {
    receiveMode: "receiveAndDelete",
    skipParsingBodyAsJson: true,
    skipConvertingDate: true,
  });
  for (let left = Number(count); left > 0;) {
    const messages = await receiver.receiveMessages(left, { maxWaitTimeInMs: 5000 });
    left -= messages.length;
    for (const message of messages) print({ name: message.subject, ...told(message) });
  }
}

switch (command) {
  case "--write":
    await write();
    break;
  case "--read":
    await read();
    break;
  case "--load":
    await runLoad(client, entity, Number(rest[0]));
    break;
  case "--restart":
    await runRestart(client);
    break;
  default:
    throw new Error(`There is no command ${command}.`);
}
await client.close();
