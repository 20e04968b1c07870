import { describe, expect, it } from "vitest";
import { toAmqplibMessage } from "../../../src/client/interop/index.ts";
import { typed } from "../../../src/core/values/typed-makers.ts";
import { createEnvelope, type EnvelopeInit } from "../../../src/core/envelope/index.ts";
import { refusal } from "../../refusal.support.ts";

describe("toAmqplibMessage", () => {
  const payload = new Uint8Array();

  it.each<[Omit<EnvelopeInit, "payload">, string]>([
    [{ bodyKind: "value" }, "$.bodyKind"],
    [{ bodyKind: "sequence" }, "$.bodyKind"],
    [{ brokerProperties: { messageId: 5 } }, "$.brokerProperties.messageId"],
    [{ brokerProperties: { correlationId: 5n } }, "$.brokerProperties.correlationId"],
    [
      { brokerProperties: { messageId: typed.uuid("0f8fad5b-d9cb-469f-a165-70867728950e") } },
      "$.brokerProperties.messageId",
    ],
    [{ brokerProperties: { messageId: "é".repeat(128) } }, "$.brokerProperties.messageId"],
    [{ brokerProperties: { subject: "x".repeat(256) } }, "$.brokerProperties.subject"],
    [{ brokerProperties: { timeToLive: Infinity } }, "$.brokerProperties.timeToLive"],
    [{ brokerProperties: { timeToLive: 2 ** 32 } }, "$.brokerProperties.timeToLive"],
    [{ applicationProperties: { x: 2n ** 63n } }, "$.applicationProperties.x"],
    [{ applicationProperties: { x: typed.ulong(1) } }, "$.applicationProperties.x"],
    [{ applicationProperties: { x: typed.symbol("s") } }, "$.applicationProperties.x"],
    [{ applicationProperties: { x: typed.char("c") } }, "$.applicationProperties.x"],
    [{ applicationProperties: { x: typed.decimal32(new Uint8Array(4)) } }, "$.applicationProperties.x"],
    [{ applicationProperties: { x: typed.described("d", 1) } }, "$.applicationProperties.x"],
    [{ applicationProperties: { x: new Date(1) } }, "$.applicationProperties.x"],
    [{ applicationProperties: { x: new Date(-1000) } }, "$.applicationProperties.x"],
    [{ applicationProperties: { ["n".repeat(256)]: 1 } }, `$.applicationProperties.${"n".repeat(256)}`],
    [{ applicationProperties: Object.fromEntries([["__proto__", 1]]) }, "$.applicationProperties.__proto__"],
    [{ applicationProperties: { "sobre-session-id": "mine" } }, "$.applicationProperties.sobre-session-id"],
    [{ applicationProperties: { "sobre-priority": "high" } }, "$.applicationProperties.sobre-priority"],
    [{ applicationProperties: { "sobre-priority": 256 } }, "$.applicationProperties.sobre-priority"],
    [{ applicationProperties: { "sobre-user-id": 5 } }, "$.applicationProperties.sobre-user-id"],
  ])("refuses %o, naming %s", (init, path) => {
    const envelope = createEnvelope({ payload, ...init });

    expect(refusal(() => toAmqplibMessage(envelope))).toMatchObject({ code: "UnsupportedValue", path });
  });

  it("lets amqplib choose no type that would change a number", () => {
    const { headers } = toAmqplibMessage(
      createEnvelope({
        payload,
        applicationProperties: { int: 5, big: 2 ** 40, half: 0.5, zero: -0, nan: Number.NaN, long: 5n },
      }),
    ).properties;

    expect(headers).toEqual({
      int: 5,
      big: { "!": "double", value: 2 ** 40 },
      half: { "!": "double", value: 0.5 },
      zero: { "!": "double", value: -0 },
      nan: { "!": "double", value: Number.NaN },
      long: { "!": "int64", value: 5n },
    });
  });
});
