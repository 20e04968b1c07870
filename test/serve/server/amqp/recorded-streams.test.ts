import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ServedConnection } from "../../../../src/serve/server/amqp/served-connection.ts";
import { Connection } from "../../../../src/wire/amqp/connection/index.ts";
import { memoryEngine } from "../../../../src/broker/memory/index.ts";
import { needsVectors, vectors } from "../../../vectors.support.ts";

const folder = join(vectors, "amqp", "go-amqp-fuzz", "conn");
const ignore = (): void => undefined;

/** The recordings of go-amqp's fuzzer: the bytes that servers sent to a client, one read behind `SPLIT`, whole and broken. */
function streams(): readonly (readonly [string, readonly Buffer[]])[] {
  return readdirSync(folder).map((name) => {
    const parts: Buffer[] = [];
    let rest = readFileSync(join(folder, name));
    for (let at = rest.indexOf("SPLIT\n"); at >= 0; at = rest.indexOf("SPLIT\n")) {
      parts.push(rest.subarray(0, at));
      rest = rest.subarray(at + 6);
    }
    return [name, [...parts, rest]];
  });
}

function client(seen: { opened: number; closed: number }): Connection {
  return new Connection({
    role: "client",
    containerId: "test",
    now: () => 0,
    clientSasl: {
      mechanisms: ["PLAIN", "ANONYMOUS"].map((name) => ({ name, initialResponse: Buffer.from("\0user\0key") })),
      hostname: "localhost",
    },
    events: { opened: () => seen.opened++, attach: ignore, closed: () => seen.closed++, output: ignore },
  });
}

describe("recorded connections", needsVectors("amqp/go-amqp-fuzz"), () => {
  it("are read by a client that opens links on them, in large pieces and small, and never bring it down", () => {
    const seen = { opened: 0, closed: 0 };
    let broken = 0;
    for (const [name, parts] of streams()) {
      for (const piece of [65_536, 7]) {
        const before = process.threadCpuUsage();
        const connection = client(seen);
        const session = connection.openSession();
        const events = { delivered: ignore, flowed: ignore, disposed: ignore, detached: ignore };
        session.links.newReceiver("receiver").open({ source: { kind: "source", address: "q" } }, events);
        session.links.newSender("sender").open({ target: { kind: "target", address: "q" } }, events);
        for (const part of parts) {
          for (let at = 0; at < part.byteLength; at += piece) connection.receive(part.subarray(at, at + piece));
          connection.take();
        }
        if (connection.over) broken++;
        const { user, system } = process.threadCpuUsage(before);
        // Small pieces are as many reads.
        if (piece > 7) expect((user + system) / 1000, name).toBeLessThan(50 * parts.length);
      }
    }

    // A few recordings are whole up to the open, most were broken on purpose.
    expect(seen.opened).toBeGreaterThan(50);
    expect(broken).toBeGreaterThan(100);
    expect(seen.closed).toBe(broken);
  });

  it("are refused with the reason when they are sent to a server", () => {
    const engine = memoryEngine({ queues: ["q"] });
    let silent = 0;
    let count = 0;
    for (const [, parts] of streams()) {
      const server = new ServedConnection({
        access: {
          anonymous: () => ({ engine, scope: "", rights: ["Manage"], expiresAt: Infinity }),
          password: () => undefined,
          token: () => {
            throw new Error("no tokens");
          },
        },
        output: ignore,
        now: () => 0,
      });
      server.wire.receive(Buffer.concat(parts));
      const told = server.wire.take();
      count++;
      if (server.wire.over && told.byteLength === 0) silent++;
    }

    expect(count).toBeGreaterThan(300);
    expect(silent).toBe(0);
  });
});
