import { describe, expect, it } from "vitest";
import { memoryEngine } from "../../src/broker/memory/index.ts";
import { createEnvelope, type Envelope } from "../../src/core/envelope/index.ts";
import { ManualClock } from "../../src/core/time/index.ts";
import { typed } from "../../src/core/values/typed-makers.ts";
import { AmqpMap } from "../../src/core/values/typed.ts";
import { ServedConnection } from "../../src/serve/server/amqp/served-connection.ts";
import { attach, begin, header, open, performative, used } from "../serve/server/amqp/hostile-peer.support.ts";

const filter = new AmqpMap([[typed.symbol("com.microsoft:session-filter"), null]]);
const uuid = "2f1c7e3a-7d0b-4a35-9a57-0d1f2b3c4d5e";

const ofSession = (id: number): Envelope =>
  createEnvelope({ payload: new Uint8Array(), brokerProperties: { sessionId: `${id}` } });

/** A client with links on sessions of their own that wait for the next session. */
class WaitingClient {
  readonly clock = new ManualClock();
  readonly engine = memoryEngine({ clock: this.clock, queues: { orders: { requiresSession: true } } });
  readonly connection = new ServedConnection({
    access: {
      anonymous: () => ({ engine: this.engine, scope: "", rights: ["Manage"], expiresAt: Infinity }),
      password: () => undefined,
      token: () => {
        throw new Error("no tokens");
      },
    },
    clock: this.clock,
    output: () => undefined,
    now: () => 0,
  });
  told = "";
  /** Bytes. */
  sent = 0;

  constructor() {
    this.connection.wire.receive(Buffer.concat([header(0), open]));
  }

  async wait(links: number, timeOut = 60_000): Promise<void> {
    const properties = new AmqpMap([
      [typed.symbol("com.microsoft:timeout"), typed.uint(timeOut)],
      [typed.symbol("com.microsoft:receiver-name"), `orders-${uuid}`],
    ]);
    for (let channel = 0; channel < links; channel++) {
      const name = `orders-${channel}-${uuid}`;
      const frame = attach(0, { channel, name, isReceiver: true, address: "orders", filter, properties });
      const bytes = Buffer.concat([begin(channel), frame]);
      this.connection.wire.receive(bytes);
      this.sent += bytes.byteLength;
    }
    await this.run();
  }

  async run(): Promise<void> {
    for (let turn = 0; turn < 50; turn++) {
      for (let wait = 0; wait < 200; wait++) await Promise.resolve();
      this.told += Buffer.from(this.connection.wire.take()).toString("latin1");
    }
  }

  async send(sessions: number): Promise<void> {
    const sender = await this.engine.openSender("orders");
    await sender.send(Array.from({ length: sessions }, (_, id) => ofSession(id)));
    await this.run();
  }

  count(text: string): number {
    return this.told.split(text).length - 1;
  }
}

const granted = "com.microsoft:locked-until-utc";

describe("links that wait for the next session", () => {
  it("are a thousand of a connection at the default limits, in less than a megabyte besides what was sent", async () => {
    const warm = new WaitingClient();
    await warm.wait(1000);
    const client = new WaitingClient();
    const others = [new WaitingClient(), new WaitingClient()];

    // Allocations of the runtime in the meantime add to one of them or another; the least is the clients' own.
    const taken: number[] = [];
    for (const each of [client, ...others]) {
      const before = used();
      await each.wait(1000);
      taken.push(used() - before);
    }

    expect(Math.min(...taken)).toBeLessThan(2 ** 20 + client.sent);
    expect(client.told).not.toContain("resource-limit");
    await client.send(3);
    expect(client.count(granted)).toBe(3);
    for (const { connection } of [warm, ...others]) expect(connection.wire.over).toBe(false);
  });

  it("get their sessions in the order in which they came", async () => {
    const client = new WaitingClient();
    await client.wait(3);

    await client.send(2);

    const names = [0, 1, 2].map((channel) => client.told.indexOf(`orders-${channel}-`));
    expect(names.map((at) => at >= 0)).toEqual([true, true, false]);
    expect(names[0]).toBeLessThan(names[1] ?? 0);
  });

  it("wait while the connection holds as many sessions as it may, and go on when one is released", async () => {
    const client = new WaitingClient();
    await client.wait(1000);

    await client.send(1000);
    const first = client.count(granted);
    client.connection.wire.receive(performative(0x16, typed.uint(0), true));
    await client.run();

    expect(first).toBeGreaterThan(50);
    expect(first).toBeLessThan(500);
    expect(client.told).not.toContain("resource-limit");
    expect(client.count(granted)).toBe(first + 1);
  });

  it("get an error when their time is over, also by the broker's clock", async () => {
    const client = new WaitingClient();
    await client.wait(2, 5000);

    await client.clock.advance(4999);
    await client.run();
    const early = client.count("com.microsoft:timeout");
    await client.clock.advance(1);
    await client.run();
    await client.send(1);

    expect(early).toBe(0);
    expect(client.count("No session of 'orders' became available in time")).toBe(2);
    expect(client.count(granted)).toBe(0);
  });

  it("leave their sessions to others when they are detached, or their entity is deleted", async () => {
    const client = new WaitingClient();
    await client.wait(2);
    client.connection.wire.receive(performative(0x16, typed.uint(0), true));
    await client.run();

    await client.engine.admin.deleteQueue("orders");
    await client.run();

    expect(client.count("amqp:not-found")).toBe(1);
  });
});
