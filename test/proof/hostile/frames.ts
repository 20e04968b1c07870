import { typed } from "../../../src/core/values/typed-makers.ts";
import {
  attach,
  begin,
  described,
  frame,
  header,
  open,
  performative,
} from "../../serve/server/amqp/hostile-peer.support.ts";
import { type HostileCase, named, opened, running, sending, uint } from "./cases.ts";

const framing = "connection amqp:connection:framing-error";
const raw = (...bytes: readonly number[]): Buffer => Buffer.from(bytes);
const sized = (size: number, rest: readonly number[] = [2, 0, 0, 0]): Buffer => {
  const bytes = Buffer.alloc(4 + rest.length);
  bytes.writeUInt32BE(size);
  bytes.set(rest, 4);
  return bytes;
};
const sasl = (code: number, ...fields: Parameters<typeof performative>[1][]): Buffer =>
  frame(described(code, fields), { type: 1 });

/** Every performative with fields that are legal, on a channel. */
const legal: Readonly<Record<string, (channel?: number) => Buffer>> = {
  begin: (channel) => begin(channel),
  attach: (channel) => attach(3, { channel: channel ?? 0 }),
  flow: (channel) => frame(described(0x13, [uint(0), uint(10), uint(0), uint(10)]), { channel: channel ?? 0 }),
  transfer: (channel) =>
    frame(described(0x14, [uint(0), uint(0), Buffer.of(1), uint(0), true]), { channel: channel ?? 0 }),
  disposition: (channel) => frame(described(0x15, [true, uint(0), uint(0), true]), { channel: channel ?? 0 }),
  detach: (channel) => frame(described(0x16, [uint(0), true]), { channel: channel ?? 0 }),
  end: (channel) => frame(described(0x17, []), { channel: channel ?? 0 }),
};
const each = (make: (name: string, frameOn: (channel?: number) => Buffer) => HostileCase): readonly HostileCase[] =>
  Object.entries(legal).map(([name, frameOn]) => make(name, frameOn));
const ofSessions = each((name, frameOn) => ({
  what: `${name} on a channel without a session`,
  frames: [...opened, frameOn(7)],
  answer: "connection amqp:not-allowed",
})).filter(({ what }) => !what.startsWith("begin "));

/** Protocol headers, the layout of frames, SASL, and performatives where they must not be (AMQP 1.0 parts 2.2 to 2.5, 5.3). */
export const frameCases: readonly HostileCase[] = [
  ...(
    [
      ["another major version", raw(0x41, 0x4d, 0x51, 0x50, 0, 2, 0, 0)],
      ["another minor version", raw(0x41, 0x4d, 0x51, 0x50, 0, 1, 1, 0)],
      ["another revision", raw(0x41, 0x4d, 0x51, 0x50, 0, 1, 0, 1)],
      ["AMQP 0-9-1", raw(0x41, 0x4d, 0x51, 0x50, 0, 0, 9, 1)],
      ["an unknown protocol id", raw(0x41, 0x4d, 0x51, 0x50, 9, 1, 0, 0)],
      ["TLS in the place of AMQP", raw(0x41, 0x4d, 0x51, 0x50, 2, 1, 0, 0)],
      ["lower case letters", raw(0x61, 0x6d, 0x71, 0x70, 0, 1, 0, 0)],
    ] as const
  ).map(([what, bytes]): HostileCase => ({ what: `a header of ${what}`, frames: [bytes], answer: "header" })),
  ...[0, 1, 2, 3, 4, 5, 6, 7].map((size): HostileCase => ({
    what: `a frame of ${size} bytes`,
    frames: [...opened, sized(size)],
    answer: framing,
  })),
  ...[65_537, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff].map((size): HostileCase => ({
    what: `a frame that claims ${size} bytes`,
    frames: [...opened, sized(size)],
    answer: framing,
  })),
  ...[8193, 65_536].map((size): HostileCase => ({
    what: `a frame that claims ${size} bytes before the open`,
    frames: [header(0), sized(size)],
    answer: framing,
  })),
  ...[0, 1].map((offset): HostileCase => ({
    what: `a data offset of ${offset}, inside the header`,
    frames: [...opened, frame(Buffer.alloc(4), { offset })],
    answer: framing,
  })),
  ...[4, 255].map((offset): HostileCase => ({
    what: `a data offset of ${offset}, behind the frame`,
    frames: [...opened, frame(Buffer.alloc(4), { offset })],
    answer: framing,
  })),
  ...[1, 2, 255].map((type): HostileCase => ({
    what: `a frame of the type ${type} after the open`,
    frames: [...opened, frame(described(0x11, []), { type })],
    answer: framing,
  })),
  ...each((name, frameOn) => ({
    what: `${name} before the open`,
    frames: [header(0), frameOn()],
    answer: "connection amqp:illegal-state",
  })),
  { what: "close before the open", frames: [header(0), performative(0x18)], answer: "connection amqp:illegal-state" },
  { what: "a second open", frames: [...opened, open], answer: "connection amqp:illegal-state" },
  { what: "an open after sessions and links", frames: [...sending, open], answer: "connection amqp:illegal-state" },
  ...ofSessions,
  ...each((name, frameOn) => ({
    what: `${name} after the close`,
    frames: [...running, performative(0x18), frameOn()],
    answer: "none",
  })),
  ...ofSessions.map(({ what }): HostileCase => {
    const [name = ""] = what.split(" ");
    return {
      what: `${name} after the end of its session`,
      frames: [...running, performative(0x17), legal[name]?.() ?? open],
      answer: "connection amqp:not-allowed",
    };
  }),
  ...[1024, 5000, 65_535].map((channel): HostileCase => ({
    what: `a begin on channel ${channel}`,
    frames: [...opened, begin(channel)],
    answer: framing,
  })),
  ...[0x19, 0x1d, 0x23, 0x31, 0x40, 0x99].map((code): HostileCase => ({
    what: `a frame with the descriptor ${code}`,
    frames: [...running, performative(code)],
    answer: "connection amqp:not-implemented",
  })),
  ...named("SASL with", [
    ["AMQP frames instead of SASL", [header(3), open], "connection amqp:not-allowed"],
    ["an init without mechanism", [header(3), sasl(0x41)], "connection amqp:invalid-field"],
    ["a mechanism that is a number", [header(3), sasl(0x41, uint(1))], "connection amqp:decode-error"],
    [
      "a mechanism that was not offered",
      [header(3), sasl(0x41, typed.symbol("GSSAPI"))],
      "connection amqp:unauthorized-access",
    ],
    [
      "a wrong password",
      [header(3), sasl(0x41, typed.symbol("PLAIN"), Buffer.from("\0a\0b"))],
      "connection amqp:unauthorized-access",
    ],
    [
      "a password without its parts",
      [header(3), sasl(0x41, typed.symbol("PLAIN"), Buffer.alloc(0))],
      "connection amqp:unauthorized-access",
    ],
    ["a response that nobody asked for", [header(3), sasl(0x43, Buffer.of(1))], "connection amqp:not-allowed"],
    ["an outcome from the client", [header(3), sasl(0x44, typed.ubyte(0))], "connection amqp:not-allowed"],
    ["mechanisms from the client", [header(3), sasl(0x40, [])], "connection amqp:not-allowed"],
  ]),
  {
    what: "SASL a second time",
    frames: [header(3), sasl(0x41, typed.symbol("ANONYMOUS")), header(3)],
    answer: "header",
  },
  {
    what: "frames of SASL after the open",
    frames: [...opened, sasl(0x41, typed.symbol("ANONYMOUS"))],
    answer: framing,
  },
  ...[...Array(8).keys()].map((bytes): HostileCase => ({
    what: `a frame that is cut off after ${bytes} bytes`,
    frames: [...running, open.subarray(0, bytes)],
    answer: "none",
  })),
  {
    what: "ten thousand empty frames",
    frames: [...running, Buffer.concat(Array(10_000).fill(frame(Buffer.alloc(0))))],
    answer: "none",
  },
];
