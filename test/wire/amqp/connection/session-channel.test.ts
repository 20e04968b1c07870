import { describe, expect, it } from "vitest";
import { FrameWriter } from "../../../../src/wire/amqp/connection/frame-writer.ts";
import { Connection } from "../../../../src/wire/amqp/connection/index.ts";

describe("a session that this side began", () => {
  it("may be answered on another channel, which its frames then come on", () => {
    const client = new Connection({
      role: "client",
      containerId: "c",
      now: () => 0,
      events: {
        opened: () => undefined,
        attach: () => undefined,
        closed: () => undefined,
        output: () => undefined,
      },
    });
    const server = new FrameWriter();
    server.protocolHeader(0);
    server.open({ containerId: "s" });
    client.receive(server.take());
    client.openSession();
    const session = client.openSession();
    const window = { nextOutgoingId: 0, incomingWindow: 100, outgoingWindow: 100 };
    // The first session is answered on the channel that the second one has here.
    server.begin(1, { remoteChannel: 0, ...window });
    server.begin(7, { remoteChannel: 1, ...window });
    client.receive(server.take());
    let attached = 0;
    session.links
      .newSender("link")
      .open(
        {},
        { flowed: () => undefined, disposed: () => undefined, detached: () => undefined, attached: () => attached++ },
      );

    server.attach(7, { name: "link", handle: 0, role: "receiver", sndSettleMode: 2, rcvSettleMode: 0 });
    client.receive(server.take());

    expect(attached).toBe(1);
    expect(client.over).toBe(false);
  });
});
