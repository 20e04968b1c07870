import { describe, expect, it } from "vitest";
import { writeSas } from "../../../src/wire/http/index.ts";
import { selfSignedCertificate, startServer } from "../../../src/serve/server/index.ts";

const key = { name: "root", value: "root's" };

/** The queues to which a token for a resource opens the way, by a look at each; 401 where it is refused as such. */
async function opened(resource: string, tls?: ReturnType<typeof selfSignedCertificate>): Promise<readonly string[]> {
  await using server = await startServer({ keys: { root: key.value }, queues: ["orders", "orders/eu", "eu"], tls });
  const token = writeSas(resource, key, Date.now() + 60_000);
  const asked = ["orders", "orders/eu", "eu"].map(async (queue) => {
    const { status } = await fetch(`http://127.0.0.1:${server.port}/${queue}/messages/head?timeout=0`, {
      method: "POST",
      headers: { authorization: token },
    });
    return status === 204 ? [queue] : [];
  });
  return (await Promise.all(asked)).flat();
}

const all = ["orders", "orders/eu", "eu"];

// Refusals are answered after a pause.
describe("a token whose resource names no host", () => {
  it.concurrent.each([
    "",
    "/",
    "orders",
    "orders/",
    "orders/eu",
    "/orders",
    "//orders",
    "orders.eu",
    "orders?",
    "orders#",
    "sb:orders",
    "sb:/orders",
    "sb:///orders",
    "sb:1",
    "sb://",
    "sb://?/orders",
    "sb:// /orders",
    "sb://@/orders",
    "sb://x@localhost",
    "?/orders",
    "#/orders",
    "%2Forders",
    "orders%2F",
    "localhost%2Forders",
    "sb%3A%2F%2Flocalhost%2Forders",
    "sb://localhost%2Forders",
    "sb://localhost\\orders",
    "sb://localhost?/orders",
    "sb://localhost#/orders",
    "sb://localhost:orders",
    "sb://localhost/%2F",
    "broker/orders",
    "\nlocalhost/orders",
    ":5672/orders",
  ])("opens nothing: %j", async (resource) => {
    expect(await opened(resource)).toEqual([]);
  });
});

describe("a token whose resource names a host", () => {
  it.concurrent.each<[string, readonly string[]]>([
    ["sb://localhost/orders", ["orders", "orders/eu"]],
    ["sb://localhost/orders/", ["orders", "orders/eu"]],
    ["SB://LOCALHOST/ORDERS/$management", ["orders", "orders/eu"]],
    ["amqps://any.example:5671/orders/eu", ["orders/eu"]],
    ["https://[::1]:5300/orders%2Feu?api-version=2021-05", ["orders/eu"]],
    ["http://my_broker/eu", ["eu"]],
    ["localhost/eu", ["eu"]],
    ["broker:5672/eu", ["eu"]],
    ["contoso.servicebus.windows.net/eu", ["eu"]],
    ["127.0.0.1/eu", ["eu"]],
    ["sb://any.example", all],
    ["sb://any.example/", all],
    ["localhost", all],
    ["localhost:5300", all],
    ["localhost:5300/", all],
    ["[::1]", all],
    ["contoso.servicebus.windows.net", all],
  ])("opens that path: %s", async (resource, queues) => {
    expect(await opened(resource)).toEqual(queues);
  });

  it("may leave the scheme out where the server's certificate has the name, as its administration clients do", async () => {
    const tls = selfSignedCertificate(["broker.example", "10.1.2.3"]);

    expect(await opened("broker.example", tls)).toEqual(all);
    expect(await opened("10.1.2.3/eu", tls)).toEqual(["eu"]);
    expect(await opened("orders.example", tls)).toEqual([]);
  });
});
