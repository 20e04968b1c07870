import { describe, expect, it } from "vitest";
import {
  fromAmqplibMessage,
  fromServiceBusMessage,
  toAmqplibMessage,
  toServiceBusMessage,
} from "../../../src/client/interop/index.ts";
import { refusal } from "../../refusal.support.ts";

describe.each([
  ["amqplib, which hands null to a consumer that is cancelled", fromAmqplibMessage],
  ["@azure/service-bus", fromServiceBusMessage],
])("in place of a message of %s", (_, from) => {
  it.each([null, undefined, "text"])("%j is an InvalidArgument", (message) => {
    // @ts-expect-error -- what JavaScript callers may do
    expect(() => from(message)).toThrow(expect.objectContaining({ code: "InvalidArgument", path: "$" }));
  });
});

describe.each([
  ["amqplib", toAmqplibMessage],
  ["@azure/service-bus", toServiceBusMessage],
])("in place of an envelope for %s", (_, to) => {
  it.each([null, undefined, { body: { id: 7 } }])("%j is an InvalidArgument that says what is wanted", (message) => {
    const error = refusal(() => Reflect.apply(to, undefined, [message]));

    expect(error).toMatchObject({ code: "InvalidArgument", path: "$.envelope" });
    expect(error.message).toContain("createEnvelope");
  });
});
