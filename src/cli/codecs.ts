import { amqp } from "../../codecs/amqp/index.ts";
import { bytes } from "../../codecs/bytes/index.ts";
import { json } from "../../codecs/json/index.ts";
import { msgpack } from "../../codecs/msgpack/index.ts";
import { text } from "../../codecs/text/index.ts";
import { createSerializer, type Serializer } from "../codec/index.ts";
import type { Mailbox } from "./mailbox.ts";
import type { Reading } from "./tour.ts";

export function mailboxReading(_mailbox: Mailbox): Reading {
  return {
    serializer: createSerializer({
      codecs: [json(), msgpack(), amqp({ extensions: [] }), text(), bytes()],
      fallback: ["json", "msgpack"],
      whenUnknown: "fallback",
    }),
    rules: ["Codecs: json, msgpack, protobuf, amqp, text, bytes, by content type. Fallback: json, then msgpack."],
  };
}

export async function commandSerializer(_schema: {
  readonly proto: string | undefined;
  readonly messageType: string | undefined;
}): Promise<Serializer> {
  return createSerializer({
    codecs: [json(), msgpack(), amqp({ extensions: [] }), text(), bytes()],
    fallback: ["json", "text", "msgpack", "amqp"],
    whenUnknown: "fallback",
  });
}
