import { describe, expect, it } from "vitest";
import { amqp } from "../../codecs/amqp/index.ts";
import { bytes } from "../../codecs/bytes/index.ts";
import { json } from "../../codecs/json/index.ts";
import { msgpack } from "../../codecs/msgpack/index.ts";
import { protobuf } from "../../codecs/protobuf/index.ts";
import { text } from "../../codecs/text/index.ts";
import { createSerializer } from "../../src/core/codec/index.ts";
import { type BodyKind, createEnvelope } from "../../src/core/envelope/index.ts";

const protos =
  'syntax = "proto2"; message Loose { repeated string tags = 1; } message Strict { required string id = 1; }';
const serializer = createSerializer({ codecs: [json(), msgpack(), amqp(), text(), bytes(), protobuf({ protos })] });

describe("a payload of zero bytes", () => {
  it.each<readonly [string, BodyKind, string, unknown]>([
    ["application/json", "data", "json", undefined],
    ["application/json; charset=nobody", "data", "json", undefined],
    ["application/msgpack", "data", "msgpack", undefined],
    ["application/x-amqp-value", "data", "amqp", undefined],
    ["application/json", "value", "amqp", undefined],
    ["application/json", "sequence", "amqp", undefined],
    ["application/protobuf", "data", "protobuf", undefined],
    ["application/protobuf; messageType=Nobody", "data", "protobuf", undefined],
    ["application/protobuf; messageType=Strict", "data", "protobuf", undefined],
    ["application/protobuf; messageType=Loose", "data", "protobuf", { tags: [] }],
    ["text/plain; charset=nobody", "data", "text", ""],
    ["application/octet-stream", "data", "bytes", new Uint8Array(0)],
    ["application/x-nobody", "data", "empty", undefined],
  ])("is read as %s with the body kind %s by %s", (contentType, bodyKind, codec, body) => {
    const envelope = createEnvelope({ payload: new Uint8Array(0), bodyKind, brokerProperties: { contentType } });

    const result = serializer.deserialize(envelope);

    expect(result).toMatchObject({ ok: true, codec });
    expect(result.ok && result.body).toEqual(body);
  });

  it.each([json(), msgpack(), amqp()])("is what $name writes for undefined", ({ contentType }) => {
    const envelope = serializer.serialize({ body: undefined, contentType });

    expect(envelope.payload).toHaveLength(0);
    expect(serializer.deserialize(envelope)).toMatchObject({ ok: true, body: undefined });
  });
});
