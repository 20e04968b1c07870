import { describe, expect, it } from "vitest";
import { azureEngine, parseConnectionString } from "../../../src/broker/azure/index.ts";
import { refusal } from "../../refusal.support.ts";

const key = "SharedAccessKeyName=name;SharedAccessKey=a+b/c==";

describe("a connection string", () => {
  it.each([
    [`Endpoint=sb://ns.servicebus.windows.net/;${key}`, "ns.servicebus.windows.net", undefined, true],
    [`Endpoint=sb://localhost:5672;${key};UseDevelopmentEmulator=true`, "localhost", 5672, false],
    [`endpoint = sb://127.0.0.1 ; ${key} ; usedevelopmentemulator = True ;`, "127.0.0.1", undefined, false],
    [`Endpoint=amqp://[::1]:5999/;${key};UseDevelopmentEmulator=false`, "::1", 5999, true],
  ])("%s is read", (text, host, port, secure) => {
    const settings = parseConnectionString(text);

    expect(settings).toMatchObject({ host, port, secure, key: { name: "name", value: "a+b/c==" } });
  });

  it.each([
    [`Endpoint=sb://ns.servicebus.windows.net/;${key}`, "ns.servicebus.windows.net", 5671],
    [`Endpoint=sb://ns.servicebus.windows.net/;${key};TransportType=AmqpWebSockets`, "ns.servicebus.windows.net", 443],
    [`Endpoint=sb://localhost;${key};UseDevelopmentEmulator=true`, "localhost", 5672],
    [`Endpoint=sb://localhost:5999;${key};UseDevelopmentEmulator=true`, "localhost", 5999],
  ])("%s says where the engine's server is", (connectionString, address, port) => {
    expect(azureEngine({ connectionString }).server).toEqual({ address, port });
  });

  it("may name an entity, and have a signature instead of a key", () => {
    const signature = "SharedAccessSignature sr=sb%3A%2F%2Fx&sig=y%3D&se=1&skn=name";

    const settings = parseConnectionString(
      `Endpoint=sb://x;SharedAccessSignature=${signature};EntityPath=/orders/;TransportType=Amqp`,
    );

    expect(settings).toMatchObject({ key: undefined, sharedAccessSignature: signature, entityPath: "orders" });
  });

  it.each([
    ["", "is empty"],
    [key, "has no Endpoint"],
    [`Endpoint=localhost:5672;${key}`, "sb://HOST:PORT"],
    [`Endpoint=sb://localhost:99999;${key}`, "sb://HOST:PORT"],
    [`Endpoint=sb://user@localhost;${key}`, "sb://HOST:PORT"],
    [`Endpoint=sb://x;${key};UseDevelopmentEmulator=yes`, "UseDevelopmentEmulator that is not one of false, true"],
    [
      `Endpoint=sb://x;${key};TransportType=WebSockets`,
      "TransportType that is not one of Amqp, AmqpTcp, AmqpWebSockets",
    ],
    ["Endpoint=sb://x", "neither SharedAccessKeyName"],
    ["Endpoint=sb://x;SharedAccessKeyName=name", "has no SharedAccessKey"],
    ["Endpoint=sb://x;SharedAccessKey=secret", "has no SharedAccessKeyName"],
  ])("%s is refused, without a word of its values", (text, why) => {
    const error = refusal(() => parseConnectionString(text));

    expect(error).toMatchObject({ code: "InvalidArgument", path: "$.connectionString" });
    expect(error.message).toContain(why);
    expect(error.message).not.toContain("secret");
  });

  it.each([
    ["an option that is misspelt", { conectionClock: {} }, "$.conectionClock"],
    ["a clock that is none", { clock: Date }, "$.clock"],
    ["a port that is text", { httpPort: "5300" }, "$.httpPort"],
    ["a wait that is below 0", { minWaitTime: -1 }, "$.minWaitTime"],
  ] satisfies [string, object, string][])("makes no engine with %s", (_what, given: object, path) => {
    const connectionString = `Endpoint=sb://x;${key}`;

    expect(refusal(() => azureEngine({ connectionString, ...given }))).toMatchObject({
      code: "InvalidArgument",
      path,
    });
  });
});
