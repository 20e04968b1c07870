import { AmqpMap, type AmqpValue } from "../../../src/core/values/typed.ts";
import { typed } from "../../../src/core/values/typed-makers.ts";
import { performative } from "../../serve/server/amqp/hostile-peer.support.ts";
import { type Answer, type HostileCase, opened, receiving, running, sending, uint } from "./cases.ts";
import { header } from "../../serve/server/amqp/hostile-peer.support.ts";

type FieldType =
  | "text"
  | "uint"
  | "ushort"
  | "ulong"
  | "boolean"
  | "binary"
  | "map"
  | "terminus"
  | "ubyte"
  | "state"
  | "error";

/** The fields of a performative that a server has to read, in their order (AMQP 1.0 part 2.7); `!` after mandatory ones. */
interface Performative {
  readonly name: string;
  readonly code: number;
  readonly before: readonly Uint8Array[];
  readonly fields: readonly (readonly [
    name: string,
    type: FieldType | undefined,
    legal: AmqpValue,
    isMandatory?: "!",
  ])[];
}

const source = typed.described(typed.ulong(0x28), ["q"]);
const target = typed.described(typed.ulong(0x29), ["q"]);
const state = typed.described(typed.ulong(0x24), []);

const performatives: readonly Performative[] = [
  {
    name: "open",
    code: 0x10,
    before: [header(0)],
    fields: [
      ["container-id", "text", "c", "!"],
      ["hostname", "text", null],
      ["max-frame-size", "uint", null],
      ["channel-max", "ushort", null],
      ["idle-time-out", "uint", null],
      ["outgoing-locales", undefined, null],
      ["incoming-locales", undefined, null],
      ["offered-capabilities", undefined, null],
      ["desired-capabilities", undefined, null],
      ["properties", "map", null],
    ],
  },
  {
    name: "begin",
    code: 0x11,
    before: opened,
    fields: [
      ["remote-channel", "ushort", null],
      ["next-outgoing-id", "uint", uint(0), "!"],
      ["incoming-window", "uint", uint(10), "!"],
      ["outgoing-window", "uint", uint(10), "!"],
      ["handle-max", "uint", null],
    ],
  },
  {
    name: "attach",
    code: 0x12,
    before: running,
    fields: [
      ["name", "text", "l", "!"],
      ["handle", "uint", uint(0), "!"],
      ["role", "boolean", false, "!"],
      ["snd-settle-mode", "ubyte", null],
      ["rcv-settle-mode", "ubyte", null],
      ["source", "terminus", source],
      ["target", "terminus", target],
      ["unsettled", undefined, null],
      ["incomplete-unsettled", undefined, null],
      ["initial-delivery-count", "uint", uint(0)],
      ["max-message-size", "ulong", null],
      ["offered-capabilities", undefined, null],
      ["desired-capabilities", undefined, null],
      ["properties", "map", null],
    ],
  },
  {
    name: "flow",
    code: 0x13,
    before: sending,
    fields: [
      ["next-incoming-id", "uint", uint(0)],
      ["incoming-window", "uint", uint(10), "!"],
      ["next-outgoing-id", "uint", uint(0), "!"],
      ["outgoing-window", "uint", uint(10), "!"],
      ["handle", "uint", uint(0)],
      ["delivery-count", "uint", uint(0)],
      ["link-credit", "uint", uint(10)],
      ["available", "uint", null],
      ["drain", "boolean", null],
      ["echo", "boolean", null],
    ],
  },
  {
    name: "transfer",
    code: 0x14,
    before: sending,
    fields: [
      ["handle", "uint", uint(0), "!"],
      ["delivery-id", "uint", uint(0)],
      ["delivery-tag", "binary", Buffer.of(1)],
      ["message-format", "uint", uint(0)],
      ["settled", "boolean", true],
      ["more", "boolean", true],
      ["rcv-settle-mode", undefined, null],
      ["state", "state", null],
      ["resume", undefined, null],
      ["aborted", "boolean", null],
    ],
  },
  {
    name: "disposition",
    code: 0x15,
    before: receiving,
    fields: [
      ["role", "boolean", true, "!"],
      ["first", "uint", uint(0), "!"],
      ["last", "uint", null],
      ["settled", "boolean", true],
      ["state", "state", state],
    ],
  },
  {
    name: "detach",
    code: 0x16,
    before: sending,
    fields: [
      ["handle", "uint", uint(0), "!"],
      ["closed", "boolean", true],
      ["error", "error", null],
    ],
  },
  { name: "end", code: 0x17, before: running, fields: [["error", "error", null]] },
  { name: "close", code: 0x18, before: opened, fields: [["error", "error", null]] },
];

/** A value of a type that no field above has, except those of another one. */
const wrong: Readonly<Record<FieldType, readonly AmqpValue[]>> = {
  text: [uint(7), new AmqpMap([])],
  uint: ["7", typed.int(-1)],
  ushort: ["7", typed.long(7n)],
  ulong: ["7", typed.double(1)],
  ubyte: ["7", typed.byte(-1)],
  boolean: ["true", uint(1)],
  binary: ["tag", uint(1)],
  map: ["map", ["a", "b"]],
  terminus: ["q", typed.described(typed.ulong(0x24), [])],
  state: ["accepted", typed.described(typed.ulong(0x99), [])],
  error: ["error", typed.described(typed.ulong(0x24), [])],
};

const decodeError: Answer = "connection amqp:decode-error";
const invalidField: Answer = "connection amqp:invalid-field";

/** A mandatory field that is null or left out, and a field of another type. */
export const performativeCases: readonly HostileCase[] = performatives.flatMap(({ name, code, before, fields }) => {
  const legal = fields.map(([, , value]) => value);
  const sent = (values: readonly AmqpValue[]): readonly Uint8Array[] => [...before, performative(code, ...values)];
  return fields.flatMap(([field, type, , isMandatory], index): HostileCase[] => {
    const missing: HostileCase[] =
      isMandatory === undefined
        ? []
        : [
            { what: `${name} whose ${field} is null`, frames: sent(legal.with(index, null)), answer: invalidField },
            {
              what: `${name} that ends before its ${field}`,
              frames: sent(legal.slice(0, index)),
              answer: invalidField,
            },
          ];
    const mistyped = (type === undefined ? [] : wrong[type]).map((value, at): HostileCase => ({
      what: `${name} whose ${field} is not a ${type} (${at + 1})`,
      frames: sent(legal.with(index, value)),
      answer: decodeError,
    }));
    return [...missing, ...mistyped];
  });
});
