import { describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { startServer } from "../../../src/serve/server/index.ts";

/** The subprotocol that the server chose, or the status of its refusal. */
function opened(port: number, path: string, offered: readonly string[]): Promise<string | number | undefined> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, [...offered]);
    socket.on("open", () => {
      resolve(socket.protocol);
      socket.close();
    });
    socket.on("unexpected-response", (_request, response) => {
      response.resume();
      resolve(response.statusCode);
    });
    socket.on("error", reject);
  });
}

describe("AMQP over WebSockets", () => {
  it.each([
    [["AMQPWSB10"], "AMQPWSB10"],
    [["amqp"], "amqp"],
    [["amqp", "AMQPWSB10"], "amqp"],
    [["mqtt", "AMQPWSB10", "amqp"], "AMQPWSB10"],
  ])("is spoken when a client offers %s", async (offered, chosen) => {
    await using server = await startServer();

    expect(await opened(server.port, "/$servicebus/websocket", offered)).toBe(chosen);
  });

  it.each([
    ["another subprotocol", "/$servicebus/websocket", ["mqtt"], 400],
    ["another path", "/websocket", ["amqp"], 404],
  ])("is refused at %s", async (_what, path, offered, status) => {
    await using server = await startServer();

    expect(await opened(server.port, path, offered)).toBe(status);
  });
});
