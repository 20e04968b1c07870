import { describe, expect, it } from "vitest";
import { fromAmqplibMessage, fromServiceBusMessage } from "../../src/bridges/index.ts";

describe.each([
  ["amqplib, which hands null to a consumer that is cancelled", fromAmqplibMessage],
  ["@azure/service-bus", fromServiceBusMessage],
])("in place of a message of %s", (_, from) => {
  it.each([null, undefined, "text"])("%j is an InvalidArgument", (message) => {
    // @ts-expect-error -- what JavaScript callers may do
    expect(() => from(message)).toThrow(expect.objectContaining({ code: "InvalidArgument", path: "$" }));
  });
});
