import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { encodeValue } from "../../../../src/core/amqp-values/encode-value.ts";
import { bodyReader } from "../../../../src/wire/amqp/connection/composite.ts";
import { FrameReader } from "../../../../src/wire/amqp/connection/frame-reader.ts";
import { FrameWriter } from "../../../../src/wire/amqp/connection/frame-writer.ts";
import { readBody, readDisposition, readTransfer } from "../../../../src/wire/amqp/connection/read-performative.ts";
import { SingleFrameDisposition, SingleFrameTransfer } from "../../../../src/wire/amqp/connection/single-frame.ts";
import { typed } from "../../../../src/core/values/typed-makers.ts";
import type { AmqpValue } from "../../../../src/core/values/typed.ts";
import { seeded } from "../../../random.support.ts";

/** A frame around a body, as a reader has read it. */
/** Tens of thousands of pairs are compared: only those that differ are worth the report of a failed expectation. */
function same(actual: object, expected: object): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toEqual(expected);
}

function frameOf(body: Uint8Array): FrameReader {
  const frame = Buffer.concat([Buffer.from([0, 0, 0, 8 + body.byteLength, 2, 0, 0, 0]), body]);
  frame.writeUInt32BE(frame.byteLength);
  const reader = new FrameReader(65_536);
  reader.push(frame);
  if (!reader.next()) expect.unreachable("The frame is not whole.");
  return reader;
}

const list = (descriptor: number, fields: readonly AmqpValue[]): Uint8Array =>
  encodeValue(typed.described(typed.ulong(descriptor), [...fields]));

/** A transfer and a disposition as the official JavaScript client writes them. */
const wideTransfer = Buffer.from(
  "005314d00000000c00000006 4343a0013043 4242 00537045 005375a0010a".replaceAll(" ", ""),
  "hex",
);
const wideDisposition = Buffer.from("005315d00000000e00000005415201520142 00532445".replaceAll(" ", ""), "hex");

const accepted = typed.described(typed.ulong(0x24), []);
const released = typed.described(typed.ulong(0x26), []);

describe("a transfer that is read in place", () => {
  it("is a whole message in one frame", () => {
    const body = Buffer.concat([
      list(0x14, [typed.uint(3), typed.uint(70_000), Buffer.of(1, 2), typed.uint(0), false]),
      Buffer.of(9, 9, 9),
    ]);
    const frame = frameOf(body);
    const transfer = new SingleFrameTransfer();

    const taken = transfer.read(frame);

    expect(taken).toBe(true);
    expect(transfer).toMatchObject({ handle: 3, deliveryId: 70_000, messageFormat: 0, settled: false });
    expect([...frame.bytes.subarray(transfer.tagAt, transfer.tagEnd)]).toEqual([1, 2]);
    expect([...frame.bytes.subarray(transfer.payloadAt, frame.end)]).toEqual([9, 9, 9]);
  });

  it.each<readonly [string, readonly AmqpValue[]]>([
    ["one that goes on in the next frame", [typed.uint(0), typed.uint(0), Buffer.of(1), typed.uint(0), false, true]],
    ["one that goes on from the last frame", [typed.uint(0)]],
    ["one in a state", [typed.uint(0), typed.uint(0), Buffer.of(1), typed.uint(0), false, false, null, accepted]],
    [
      "an aborted one",
      [typed.uint(0), typed.uint(0), Buffer.of(1), typed.uint(0), false, false, null, null, null, true],
    ],
    ["one whose handle has the wrong type", ["0", typed.uint(0), Buffer.of(1)]],
  ])("is not %s", (_what, fields) => {
    expect(new SingleFrameTransfer().read(frameOf(list(0x14, fields)))).toBe(false);
  });
});

describe("frames in the shape of rhea, with lists of 32 bits", () => {
  it("are read in place", () => {
    const transfer = new SingleFrameTransfer();
    const disposition = new SingleFrameDisposition();

    const taken = [transfer.read(frameOf(wideTransfer)), disposition.read(frameOf(wideDisposition))];

    expect(taken).toEqual([true, true]);
    expect(transfer).toMatchObject({ handle: 0, deliveryId: 0, messageFormat: 0, settled: false, payloadAt: 28 });
    expect(disposition).toMatchObject({ first: 1, last: 1, settled: false });
  });

  it.each([
    ["list0", "45"],
    ["list8", "c00100"],
    ["list32", "d00000000400000000"],
  ])("may hold the state accepted as %s", (_format, hex) => {
    const fields = Buffer.concat([Buffer.from("4152054042005324", "hex"), Buffer.from(hex, "hex")]);
    const body = Buffer.concat([Buffer.of(0, 0x53, 0x15, 0xc0, fields.byteLength + 1, 5), fields]);

    expect(new SingleFrameDisposition().read(frameOf(body))).toBe(true);
  });
});

describe("a disposition that is read in place", () => {
  it.each([
    ["accepts", accepted, "accepted"],
    ["releases, as .NET does with what comes after a receive has ended", released, "released"],
  ])("is one that %s", (_what, state, kind) => {
    const disposition = new SingleFrameDisposition();

    const taken = disposition.read(frameOf(list(0x15, [true, typed.uint(998), null, true, state, null])));

    expect(taken).toBe(true);
    expect(disposition).toMatchObject({ first: 998, last: 998, settled: true, state: { kind } });
  });

  it.each([
    ["rejects", 0x25],
    ["modifies", 0x27],
  ])("is not one that %s", (_what, code) => {
    const body = list(0x15, [true, typed.uint(1), null, true, typed.described(typed.ulong(code), [])]);

    expect(new SingleFrameDisposition().read(frameOf(body))).toBe(false);
  });
});

describe("frames that are read in place", () => {
  it("say what the general reader reads, whatever bytes are changed", () => {
    const random = seeded(11);
    const transfer = new SingleFrameTransfer();
    const disposition = new SingleFrameDisposition();
    const bodies = [
      list(0x14, [typed.uint(0), typed.uint(7), Buffer.of(1, 2, 3), typed.uint(0), true, false]),
      list(0x14, [typed.uint(200), typed.uint(7000), Buffer.of(), null, null, null, null, null]),
      list(0x15, [true, typed.uint(5), typed.uint(9), true, accepted]),
      list(0x15, [true, typed.uint(500), null, false, accepted]),
      list(0x15, [true, typed.uint(7), null, true, released, null]),
      wideTransfer,
      wideDisposition,
      list(0x14, [typed.uint(0), typed.uint(7), Buffer.of(1), null, false, false, null, null, false, false, true]),
    ];
    let taken = 0;
    for (let round = 0; round < 40_000; round++) {
      const body = Buffer.from(bodies[round % bodies.length] ?? []);
      if (round >= bodies.length) body[3 + random.integer(body.length - 3)] = random.integer(256);
      const frame = frameOf(body);
      const reader = bodyReader(body);
      if (readBody(reader) === 0x14) {
        if (!transfer.read(frame)) continue;
        const { handle, deliveryId, messageFormat, settled } = transfer;
        const tag = Buffer.from(frame.bytes.subarray(transfer.tagAt, transfer.tagEnd));
        const read = readTransfer(reader);
        const inPlace = { handle, deliveryId, messageFormat, settled, tag: tag.toString("hex") };
        const inGeneral = {
          handle: read.handle,
          deliveryId: read.deliveryId,
          messageFormat: read.messageFormat ?? 0,
          settled: read.settled ?? false,
          tag: Buffer.from(read.deliveryTag ?? []).toString("hex"),
        };
        same(
          { ...inPlace, more: false, aborted: false, state: undefined, at: transfer.payloadAt - frame.start },
          {
            ...inGeneral,
            more: read.more,
            aborted: read.aborted,
            state: read.state,
            at: reader.at,
          },
        );
      } else {
        if (!disposition.read(frame)) continue;
        const { first, last, settled, state } = disposition;
        const read = readDisposition(reader);
        same({ role: "receiver", first, last, settled, state }, read);
      }
      taken++;
    }

    expect(taken).toBeGreaterThan(5000);
  });
});

describe("a reader of frames", () => {
  it("lets messages keep bytes that hold little else, and no others", () => {
    const message = Buffer.concat([list(0x14, [typed.uint(0), typed.uint(0), Buffer.of(1)]), Buffer.alloc(500)]);
    const writer = new FrameWriter();
    for (let filler = 0; filler < 200; filler++) writer.empty();
    const one = Buffer.alloc(8 + message.byteLength);
    one.writeUInt32BE(one.byteLength);
    one[4] = 2;
    one.set(message, 8);
    const reader = new FrameReader(65_536);
    const answers: boolean[] = [];

    for (const chunk of [Buffer.concat([one, one]), Buffer.concat([one, writer.take()])]) {
      reader.push(chunk);
      reader.next();
      answers.push(reader.dense);
      while (reader.next());
    }

    expect(answers).toEqual([true, false]);
  });
});
