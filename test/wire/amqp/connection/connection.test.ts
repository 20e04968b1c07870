import { describe, expect, it } from "vitest";
import {
  accepted,
  type DeliveryState,
  type IncomingDelivery,
  ReceivingLink,
  SendingLink,
  type WireError,
} from "../../../../src/wire/amqp/connection/index.ts";
import { Pair } from "./pair.support.ts";

/** A client that sends to a server, attached. */
function sending(pair: Pair, credit = 10): { link: SendingLink; end: ReceivingLink; got: IncomingDelivery[] } {
  const got: IncomingDelivery[] = [];
  const session = pair.client.openSession();
  const link = session.links.newSender("s");
  link.open(
    { source: { kind: "source" }, target: { kind: "target", address: "q" } },
    { flowed: () => undefined, detached: () => undefined, disposed: () => undefined },
  );
  pair.run();
  const end = pair.seen.server.asked.at(-1);
  if (!(end instanceof ReceivingLink)) throw new Error("The server was not asked for a link.");
  end.open(
    { source: end.remote?.source, target: end.remote?.target, maxMessageSize: 1000n },
    { delivered: (delivery) => void got.push(delivery), detached: () => undefined },
  );
  end.keepCredit(credit);
  pair.run();
  return { link, end, got };
}

const bytes = (length: number): Uint8Array => Uint8Array.from({ length }, (_, index) => index);

describe("a connection", () => {
  it.each([1, 3, 8, 13, 65_536])("opens with SASL when its bytes come in pieces of %i", (piece) => {
    const inits: string[] = [];
    const pair = new Pair({
      piece,
      server: {
        serverSasl: {
          mechanisms: ["ANONYMOUS", "MSSBCBS"],
          verify: (init) => inits.push(init.mechanism) > 0,
        },
      },
      client: {
        hostname: "example",
        clientSasl: { mechanisms: [{ name: "MSSBCBS", initialResponse: new Uint8Array() }], hostname: "example" },
      },
    });

    pair.run();

    expect(inits).toEqual(["MSSBCBS"]);
    expect(pair.seen.server.opens.map(({ hostname }) => hostname)).toEqual(["example"]);
    expect(pair.seen.client.opens.map(({ containerId, channelMax }) => [containerId, channelMax])).toEqual([
      ["server", 1023],
    ]);
  });

  it("opens without SASL", () => {
    const pair = new Pair();

    pair.run();

    expect(pair.seen.client.opens).toHaveLength(1);
  });

  it("refuses a client whose SASL answer is wrong, with a close that says so", () => {
    const pair = new Pair({
      server: { serverSasl: { mechanisms: ["PLAIN"], verify: () => false } },
      client: { clientSasl: { mechanisms: [{ name: "PLAIN", initialResponse: new Uint8Array(3) }], hostname: "h" } },
    });

    pair.run();

    expect(pair.seen.server.closed.map((error) => error?.condition)).toEqual(["amqp:unauthorized-access"]);
    expect(pair.seen.client.closed.map((error) => error?.condition)).toEqual(["amqp:unauthorized-access"]);
  });

  it("closes both ends when one of them closes", () => {
    const pair = new Pair();
    pair.run();

    pair.client.close();
    pair.run();

    expect([pair.seen.server.closed, pair.seen.client.closed]).toEqual([[undefined], [undefined]]);
    expect(pair.server.over && pair.client.over).toBe(true);
  });

  it("gives a silent peer up, before and after the open", () => {
    const pair = new Pair({ limits: { handshakeTimeout: 10, idleTimeout: 100 } });
    const opened = new Pair({ limits: { handshakeTimeout: 10, idleTimeout: 100 } });
    opened.run();

    pair.time = 10;
    pair.server.tick();
    opened.time = 99;
    opened.server.tick();
    const before = opened.seen.server.closed.length;
    opened.time = 100;
    opened.server.tick();

    expect(pair.seen.server.closed.map((error) => error?.condition)).toEqual(["amqp:connection:forced"]);
    expect(before).toBe(0);
    expect(opened.seen.server.closed.map((error) => error?.condition)).toEqual(["amqp:connection:forced"]);
  });

  it("shows a peer that gives up after silence that it is alive, twice as often as it must", () => {
    const pair = new Pair({ limits: { idleTimeout: 100 } });
    pair.run();

    for (; pair.time < 1000; pair.time += 5) {
      pair.client.tick();
      pair.server.tick();
      pair.run();
    }

    expect(pair.seen.server.closed).toEqual([]);
  });
});

describe("a link", () => {
  it("carries messages in order, in as many frames as they need, and one disposition for many", () => {
    const pair = new Pair({ client: { limits: { maxFrameSize: 512 } } });
    pair.run();
    const ended: [number, DeliveryState | undefined][] = [];
    const { link, end, got } = sending(pair);
    link.events = {
      flowed: () => undefined,
      detached: () => undefined,
      disposed: ({ id }, state) => void ended.push([id, state]),
    };

    for (const size of [0, 1, 1000])
      link.send({ payload: bytes(size), tag: Uint8Array.of(size & 0xff), settled: false });
    pair.run();
    for (const { id } of got) end.settle(id, accepted);
    const frame = pair.server.take();
    pair.client.receive(frame);

    expect(got.map(({ payload }) => [...payload])).toEqual([0, 1, 1000].map((size) => [...bytes(size)]));
    expect(ended.map(([id, state]) => [id, state?.kind])).toEqual([
      [0, "accepted"],
      [1, "accepted"],
      [2, "accepted"],
    ]);
    expect(frame.byteLength).toBeLessThan(40);
  });

  it("drops a message larger than allowed and goes on", () => {
    const pair = new Pair();
    pair.run();
    const { link, end, got } = sending(pair);
    const tooLarge: number[] = [];
    end.events = {
      ...end.events,
      tooLarge: (id) => void tooLarge.push(id),
      delivered: (d) => void got.push(d),
      detached: () => undefined,
    };

    link.send({ payload: bytes(1001), tag: Uint8Array.of(1), settled: false });
    link.send({ payload: bytes(1000), tag: Uint8Array.of(2), settled: false });
    pair.run();

    expect(tooLarge).toEqual([0]);
    expect(got.map(({ id }) => id)).toEqual([1]);
  });

  it("gets more credit while its messages are taken, and never more than it may use", () => {
    const pair = new Pair();
    pair.run();
    const { link, got } = sending(pair, 4);

    for (let sent = 0; sent < 100; sent++) {
      expect(link.credit).toBeGreaterThan(0);
      link.send({ payload: bytes(1), tag: Uint8Array.of(sent), settled: true });
      pair.run();
    }

    expect(got).toHaveLength(100);
    expect(link.credit).toBeLessThanOrEqual(4);
  });

  it("is refused by an attach without terminus and a detach in one write", () => {
    const pair = new Pair();
    pair.run();
    const events: unknown[] = [];
    const session = pair.client.openSession();
    session.links.newReceiver("r").open(
      { source: { kind: "source", address: "missing" }, target: { kind: "target" } },
      {
        attached: ({ source }) => void events.push(["attached", source]),
        detached: (error) => void events.push(["detached", error?.condition]),
        delivered: () => undefined,
      },
    );
    pair.run();

    pair.seen.server.asked[0]?.refuse({ condition: "amqp:not-found", description: "not there" });
    pair.client.receive(pair.server.take());

    expect(events).toEqual([
      ["attached", undefined],
      ["detached", "amqp:not-found"],
    ]);
  });

  it("can be drained: the credit is returned and nothing is left over", () => {
    const pair = new Pair();
    pair.run();
    const got: IncomingDelivery[] = [];
    let drained = 0;
    const session = pair.client.openSession();
    const receiver = session.links.newReceiver("r");
    receiver.open(
      { source: { kind: "source", address: "q" }, target: { kind: "target" } },
      { detached: () => undefined, delivered: (one) => void got.push(one), drained: () => void drained++ },
    );
    pair.run();
    const sender = pair.seen.server.asked[0];
    if (!(sender instanceof SendingLink)) throw new Error("The server was not asked for a sender.");
    sender.open({}, { flowed: () => sender.drained(), detached: () => undefined, disposed: () => undefined });
    receiver.grant(3);
    pair.run();

    sender.send({ payload: bytes(2), tag: bytes(1), settled: true });
    receiver.grant(3, true);
    pair.run();

    expect([got.length, drained, receiver.credit, sender.credit]).toEqual([1, 1, 0, 0]);
  });

  it("reports the cut of the connection to both ends", () => {
    const pair = new Pair();
    pair.run();
    const { link, end } = sending(pair);
    const told: (WireError | undefined)[] = [];
    const detached = (error: WireError | undefined): void => void told.push(error);
    link.events = { flowed: () => undefined, disposed: () => undefined, detached };
    end.events = { delivered: () => undefined, detached };

    pair.server.disconnected();
    pair.client.disconnected();

    expect(told.map((error) => error?.condition)).toEqual(["amqp:connection:forced", "amqp:connection:forced"]);
  });
});
