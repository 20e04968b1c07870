import {
  attach,
  begin,
  described,
  frame,
  header,
  open,
  performative,
} from "../../serve/server/amqp/hostile-peer.support.ts";
import type { AmqpMap, AmqpValue } from "../../../src/core/values/typed.ts";
import { typed } from "../../../src/core/values/typed-makers.ts";
import { writeMessage } from "../../../src/wire/amqp/message/write-message.ts";

/** The end of a connection or less with the condition of its error; `none`: everything goes on. */
export type Answer =
  | `${"connection" | "session" | "link" | "message" | "reply"} ${string}`
  | "sasl"
  | "header"
  | "none";

/** A hostile peer of the server, and its answer. */
export interface HostileCase {
  readonly what: string;
  readonly frames: readonly Uint8Array[];
  readonly answer: Answer;
}

/** Cases by what makes them hostile. */
export const named = (
  before: string,
  rows: readonly (readonly [what: string, frames: readonly Uint8Array[], answer: Answer])[],
): readonly HostileCase[] => rows.map(([what, frames, answer]) => ({ what: `${before} ${what}`, frames, answer }));

export const uint: typeof typed.uint = typed.uint;

/** An open connection; with a session on channel 0; with a sending link on handle 0, with a receiving one on handle 1. */
export const opened: readonly Uint8Array[] = [header(0), open];
export const running: readonly Uint8Array[] = [...opened, begin()];
export const sending: readonly Uint8Array[] = [...running, attach(0), frame(Buffer.alloc(0))];
export const receiving: readonly Uint8Array[] = [
  ...sending,
  attach(1, { isReceiver: true }),
  frame(Buffer.alloc(0)),
  frame(Buffer.alloc(0)),
];

/** A transfer of a whole message on handle 0. */
export const transfer = (payload: Uint8Array, fields: readonly AmqpValue[] = [], id = 0): Buffer =>
  frame(Buffer.concat([described(0x14, [uint(0), uint(id), Buffer.of(1), uint(0), false, ...fields]), payload]));

/** Frames without meaning: the server goes on with what it has begun in between. */
export const pause: readonly Uint8Array[] = Array.from({ length: 8 }, () => frame(Buffer.alloc(0)));

/** A request with this body on the node of an address, whose reply comes on a link of its own. */
export function request(address: string, properties: AmqpMap, value: AmqpValue): readonly Uint8Array[] {
  const message = writeMessage({
    properties: { messageId: "1", replyTo: "replies" },
    applicationProperties: properties,
    body: { kind: "value", value },
  });
  const credit = performative(0x13, uint(0), uint(100), uint(0), uint(100), uint(1), uint(0), uint(10));
  return [
    ...running,
    attach(0, { address }),
    ...pause,
    attach(1, { address, name: "replies", isReceiver: true }),
    ...pause,
    credit,
    transfer(message),
    ...pause,
    ...pause,
  ];
}
