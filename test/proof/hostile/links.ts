import { AmqpMap, type AmqpValue } from "../../../src/core/values/typed.ts";
import { typed } from "../../../src/core/values/typed-makers.ts";
import { writeMessage } from "../../../src/wire/amqp/message/write-message.ts";
import { attach, begin, described, frame, performative } from "../../serve/server/amqp/hostile-peer.support.ts";
import {
  type Answer,
  type HostileCase,
  named,
  opened,
  pause,
  receiving,
  running,
  sending,
  transfer,
  uint,
} from "./cases.ts";

const filter = (value: AmqpValue): AmqpMap => new AmqpMap([[typed.symbol("com.microsoft:session-filter"), value]]);
const asking = (fields: readonly AmqpValue[]): readonly Uint8Array[] => [
  ...running,
  performative(0x12, ...fields),
  ...pause,
];
const source = typed.described(typed.ulong(0x28), ["q"]);
const target = typed.described(typed.ulong(0x29), ["q"]);
const linkTo = (address: string, isReceiver = false): readonly Uint8Array[] => [
  ...running,
  attach(0, { address, isReceiver }),
  ...pause,
];
const data = Buffer.from("005375a00161", "hex");
const more = (size: number, fields: readonly AmqpValue[] = [uint(0), null, null, null, null, true]): Buffer =>
  frame(Buffer.concat([described(0x14, fields), Buffer.alloc(size)]));
const declare = writeMessage({ body: { kind: "value", value: typed.described(typed.ulong(0x31), [null]) } });
const discharge = (id: AmqpValue): Uint8Array =>
  writeMessage({ body: { kind: "value", value: typed.described(typed.ulong(0x32), [id, false]) } });
const coordinator: readonly Uint8Array[] = [
  ...running,
  performative(
    0x12,
    "tx",
    uint(0),
    false,
    null,
    null,
    typed.described(typed.ulong(0x28), []),
    typed.described(typed.ulong(0x30), []),
    null,
    null,
    uint(0),
  ),
  ...pause,
];
const inTransaction = (id: AmqpValue): AmqpValue => typed.described(typed.ulong(0x34), [id]);
const dispose = (state: AmqpValue, first = 0, last = 0, isReceiver = true): Buffer =>
  performative(0x15, isReceiver, uint(first), uint(last), false, state);
const held: readonly Uint8Array[] = [
  ...receiving,
  performative(0x13, uint(0), uint(100), uint(0), uint(100), uint(1), uint(0), uint(10)),
  ...pause,
];

const attaches: readonly (readonly [string, readonly Uint8Array[], Answer])[] = [
  ["a handle in use", [...sending, attach(0, { name: "other" })], "session amqp:session:handle-in-use"],
  ["a handle above the limit", [...running, attach(256)], "connection amqp:connection:framing-error"],
  ["the name of a link that is there", [...sending, attach(1, { name: "l0-0" }), ...pause], "link amqp:link:stolen"],
  [
    "a settle mode of the sender that there is not",
    asking(["l", uint(0), false, typed.ubyte(3), null, source, target]),
    "session amqp:invalid-field",
  ],
  [
    "a settle mode of the receiver that there is not",
    asking(["l", uint(0), false, null, typed.ubyte(2), source, target]),
    "session amqp:invalid-field",
  ],
  [
    "no target to send to",
    asking(["l", uint(0), false, null, null, source, null]),
    "link com.microsoft:argument-error",
  ],
  [
    "no source to receive from",
    asking(["l", uint(0), true, null, null, null, target]),
    "link com.microsoft:argument-error",
  ],
  [
    "a target without address",
    asking(["l", uint(0), false, null, null, source, typed.described(typed.ulong(0x29), [])]),
    "link com.microsoft:argument-error",
  ],
  [
    "a dynamic target",
    asking([
      "l",
      uint(0),
      false,
      null,
      null,
      source,
      typed.described(typed.ulong(0x29), [null, null, null, null, true]),
    ]),
    "link com.microsoft:argument-error",
  ],
  ["an empty address", linkTo(""), "link com.microsoft:argument-error"],
  ["an address of 3,000 characters", linkTo("a".repeat(3000)), "link com.microsoft:argument-error"],
  ["an address of slashes", linkTo("/".repeat(2000)), "link amqp:not-found"],
  ["an address that climbs", linkTo("a/../q"), "link amqp:not-found"],
  ["an entity that is missing", linkTo("missing"), "link amqp:not-found"],
  ["a missing entity to receive from", linkTo("missing", true), "link amqp:not-found"],
  ["a topic to receive from", linkTo("t", true), "link amqp:not-allowed"],
  ["a subscription to send to", linkTo("t/Subscriptions/a"), "link amqp:not-allowed"],
  ["a dead-letter queue to send to", linkTo("q/$DeadLetterQueue"), "link amqp:not-allowed"],
  ["a plain link to sessions", linkTo("s", true), "link amqp:not-allowed"],
  [
    "a session of a queue without sessions",
    [...running, attach(0, { isReceiver: true, filter: filter(null) }), ...pause],
    "link amqp:not-allowed",
  ],
  [
    "a session filter that is a number",
    [...running, attach(0, { isReceiver: true, address: "s", filter: filter(uint(7)) }), ...pause],
    "link com.microsoft:argument-error",
  ],
  [
    "a session filter that is a list",
    [...running, attach(0, { isReceiver: true, address: "s", filter: filter(["a"]) }), ...pause],
    "link com.microsoft:argument-error",
  ],
  [
    "a copy of the messages",
    asking([
      "l",
      uint(0),
      true,
      null,
      null,
      typed.described(typed.ulong(0x28), ["q", null, null, null, null, null, typed.symbol("copy")]),
      target,
    ]),
    "link amqp:not-implemented",
  ],
];

const transfers: readonly (readonly [string, readonly Uint8Array[], Answer])[] = [
  ["on a handle that is not attached", [...running, transfer(data)], "session amqp:session:unattached-handle"],
  [
    "on a link that receives",
    [...receiving, more(1, [uint(1), uint(0), Buffer.of(1), uint(0), true])],
    "session amqp:not-allowed",
  ],
  [
    "before the link is answered",
    [...running, Buffer.concat([attach(0), transfer(data)])],
    "session amqp:link:transfer-limit-exceeded",
  ],
  ["without an id", [...sending, more(1, [uint(0), null, Buffer.of(1)])], "session amqp:invalid-field"],
  ["without a tag", [...sending, more(1, [uint(0), uint(0)])], "session amqp:invalid-field"],
  [
    "with a tag of 33 bytes",
    [...sending, more(1, [uint(0), uint(0), Buffer.alloc(33), uint(0), false, true])],
    "session amqp:invalid-field",
  ],
  [
    "whose id changes",
    [...sending, more(1, [uint(0), uint(0), Buffer.of(1), uint(0), false, true]), more(1, [uint(0), uint(9)])],
    "session amqp:invalid-field",
  ],
  [
    "by the thousand in one read",
    [
      ...sending,
      Buffer.concat(
        Array.from({ length: 1500 }, (_, id) => more(1, [uint(0), uint(id), Buffer.of(1), uint(0), false, false])),
      ),
    ],
    "message amqp:decode-error",
  ],
  [
    "beyond the window",
    [
      ...sending,
      Buffer.concat([
        more(0, [uint(0), uint(0), Buffer.of(1), uint(0), false, true]),
        ...Array.from({ length: 6000 }, () => more(0)),
      ]),
    ],
    "none",
  ],
  [
    "of more than twice the size of the link",
    [
      ...sending,
      more(60_000, [uint(0), uint(0), Buffer.of(1), uint(0), false, true]),
      ...Array.from({ length: 40 }, () => more(60_000)),
    ],
    "link amqp:link:message-size-exceeded",
  ],
  [
    "in an unknown transaction",
    [...sending, transfer(data, [false, null, inTransaction(Buffer.of(9))]), ...pause],
    "message amqp:transaction:unknown-id",
  ],
  [
    "in a transaction without id",
    [...sending, transfer(data, [false, null, inTransaction(null)])],
    "connection amqp:invalid-field",
  ],
  [
    "after the link was detached",
    [...sending, performative(0x16, uint(0), true), transfer(data)],
    "session amqp:session:unattached-handle",
  ],
];

const messages: Readonly<Record<string, string>> = {
  "a section that there is not": "0053994000",
  "a value that is not described": "a10161",
  "a header that is no list": "005370a10161005375a00161",
  "a header cut off": "005370c00f",
  "a header whose priority is a text": "005370c0050240a10161005375a00161",
  "annotations whose keys are numbers": "005372c1040254015401005375a00161",
  "properties cut off": "005373c0ff01",
  "properties whose id is a list": "005373c00201c00100005375a00161",
  "application properties that are a list": "00537445005375a00161",
  "application properties of maps": "005374c10802a10161c10100005375a00161".replace("c10802", "c10702"),
  "data longer than the message": "005375a0ff61",
  "two bodies of two kinds": "005375a0016100537740",
  "two values": "0053774000537740",
  "two properties": "0053734500537345005375a00161",
  "data that is a text": "005375a10161",
  "a sequence that is a map": "005376c10100",
  "text that is not UTF-8": "005373c0050140a102c328005375a00161",
};

const settlements: readonly (readonly [string, readonly Uint8Array[], Answer])[] = [
  [
    "of deliveries that never were",
    [...held, dispose(typed.described(typed.ulong(0x24), []), 5, 900), ...pause],
    "none",
  ],
  [
    "of every id that there is",
    [...held, dispose(typed.described(typed.ulong(0x24), []), 0, 0xffff_ffff), ...pause],
    "none",
  ],
  [
    "of a range that ends before it begins",
    [...held, dispose(typed.described(typed.ulong(0x24), []), 9, 1), ...pause],
    "none",
  ],
  ["with another's role", [...held, dispose(typed.described(typed.ulong(0x24), []), 0, 9, false), ...pause], "none"],
  [
    "with a declared state",
    [...held, dispose(typed.described(typed.ulong(0x33), [Buffer.of(1)])), ...pause],
    "message amqp:not-allowed",
  ],
  [
    "in an unknown transaction",
    [...held, dispose(inTransaction(Buffer.of(9))), ...pause],
    "message amqp:transaction:unknown-id",
  ],
  [
    "with a rejection whose error is a text",
    [...held, dispose(typed.described(typed.ulong(0x25), ["error"]))],
    "connection amqp:decode-error",
  ],
  [
    "with a rejection without condition",
    [...held, dispose(typed.described(typed.ulong(0x25), [typed.described(typed.ulong(0x1d), [])]))],
    "connection amqp:invalid-field",
  ],
  [
    "with annotations that are a list",
    [...held, dispose(typed.described(typed.ulong(0x27), [true, false, ["a"]]))],
    "connection amqp:decode-error",
  ],
];

const flows: readonly (readonly [string, readonly AmqpValue[], Answer])[] = [
  [
    "a handle that is not attached",
    [uint(0), uint(10), uint(0), uint(10), uint(77), uint(0), uint(1)],
    "session amqp:session:unattached-handle",
  ],
  [
    "the largest credit and window",
    [uint(0), uint(0xffff_ffff), uint(0), uint(0xffff_ffff), uint(1), uint(0), uint(0xffff_ffff)],
    "none",
  ],
  ["a delivery count far away", [uint(0), uint(10), uint(0), uint(10), uint(1), uint(0x8000_0000), uint(10)], "none"],
  ["a drain without credit", [uint(0), uint(10), uint(0), uint(10), uint(1), uint(0), uint(0), null, true], "none"],
  ["ids far ahead", [uint(0x7fff_ffff), uint(10), uint(0x7fff_ffff), uint(10)], "none"],
];

/** Links, their deliveries and transactions (AMQP 1.0 parts 2.6, 2.7, 3 and 4). */
export const linkCases: readonly HostileCase[] = [
  ...named("an attach with", attaches),
  ...named("a message", transfers),
  ...Object.entries(messages).map(([what, bytes]): HostileCase => ({
    what: `a message that is ${what}`,
    frames: [...sending, transfer(Buffer.from(bytes, "hex")), ...pause],
    answer: "message amqp:decode-error",
  })),
  ...named("a disposition", settlements),
  ...flows.map(([what, fields, answer]): HostileCase => ({
    what: `a flow with ${what}`,
    frames: [...receiving, performative(0x13, ...fields), ...pause],
    answer,
  })),
  ...(
    [
      ["a text", writeMessage({ body: { kind: "value", value: "declare" } }), "message com.microsoft:argument-error"],
      ["data", data, "message com.microsoft:argument-error"],
      ["bytes that are no message", Buffer.of(1, 2, 3), "message amqp:decode-error"],
      ["the discharge of another's transaction", discharge(Buffer.of(1, 2, 3)), "message amqp:transaction:unknown-id"],
      ["a discharge without id", discharge(null), "message com.microsoft:argument-error"],
      ["a discharge whose id is a text", discharge("a"), "message com.microsoft:argument-error"],
    ] as const
  ).map(([what, payload, answer]): HostileCase => ({
    what: `a coordinator that is sent ${what}`,
    frames: [...coordinator, transfer(payload), ...pause],
    answer,
  })),
  {
    what: "three hundred declared transactions",
    frames: [
      ...coordinator,
      Buffer.concat(Array.from({ length: 300 }, (_, id) => transfer(declare, [], id))),
      ...pause,
    ],
    answer: "message amqp:resource-limit-exceeded",
  },
  {
    what: "a thousand sessions and their ends",
    frames: [...opened, ...Array.from({ length: 1000 }, () => Buffer.concat([begin(), performative(0x17)]))],
    answer: "none",
  },
];
