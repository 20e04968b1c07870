import { describe, expect, it } from "vitest";
import { memoryEngine } from "../../../../src/broker/memory/index.ts";
import { type Engine, lockToken } from "../../../../src/core/engine/index.ts";
import { createEnvelope } from "../../../../src/core/envelope/index.ts";
import { ManualClock } from "../../../../src/core/time/index.ts";
import { typed } from "../../../../src/core/values/typed-makers.ts";
import { AmqpMap, type AmqpValue, Typed } from "../../../../src/core/values/typed.ts";
import { SharedSessions } from "../../../../src/serve/server/amqp/shared-sessions.ts";
import type { IncomingDelivery, ReceivingLink } from "../../../../src/wire/amqp/connection/index.ts";
import { tokenOf } from "../../../../src/wire/amqp/message/lock-tag.ts";
import { BrokerPair } from "./broker-pair.support.ts";
import { request } from "./broker-requests.support.ts";

const filterName = "com.microsoft:non-exclusive-session-filter";
const descriptor = typed.ulong(0x13_7000_000en);

/** A client's link to a session that is not exclusive. */
interface SharedLink {
  readonly link: ReceivingLink;
  readonly got: readonly IncomingDelivery[];
  /** The session and its token, as the broker has granted them. */
  readonly granted: () => readonly unknown[];
}

async function accept(pair: BrokerPair, id: string | null, token?: string): Promise<SharedLink> {
  const session = await pair.session();
  const link = session.links.newReceiver(`shared ${Math.random()}`);
  const got: IncomingDelivery[] = [];
  const wanted: AmqpValue = [id, token === undefined ? null : typed.uuid(token)];
  const filter = new AmqpMap([[typed.symbol(filterName), typed.described(descriptor, wanted)]]);
  link.open(
    { source: { kind: "source", address: "q", filter }, target: { kind: "target", address: "here" } },
    { delivered: (delivery) => void got.push(delivery), detached: (error) => void pair.detached.push(error) },
  );
  await pair.run();
  return { link, got, granted: () => grantedBy(link) };
}

function grantedBy({ remote }: ReceivingLink): readonly unknown[] {
  const value = remote?.source?.filter?.get(filterName);
  const content = value instanceof Typed ? value.value : undefined;
  if (typeof content !== "object" || content === null || !("value" in content) || !Array.isArray(content.value))
    return [];
  return content.value.map((item) => (item instanceof Typed ? item.value : item));
}

const tokenIn = ({ granted }: SharedLink): string => String(granted()[1]);

/** Two clients of one server, with a queue of sessions that has these bodies in the session `a`. */
async function clients(
  bodies: readonly number[],
  clock = new ManualClock(),
): Promise<{ readonly engine: Engine; readonly first: BrokerPair; readonly second: BrokerPair }> {
  const engine = memoryEngine({ clock, queues: { q: { requiresSession: true, lockDuration: "30s" } } });
  const sender = await engine.openSender("q");
  const brokerProperties = { sessionId: "a" };
  await sender.send(bodies.map((body) => createEnvelope({ payload: Uint8Array.of(body), brokerProperties })));
  const sharedSessions = new SharedSessions();
  const options = { clock, sharedSessions };
  return {
    engine,
    first: new BrokerPair(engine, {}, { ...options, containerId: "first" }),
    second: new BrokerPair(engine, {}, { ...options, containerId: "second" }),
  };
}

const statusOf = async (
  pair: BrokerPair,
  operation: string,
  body: Readonly<Record<string, AmqpValue>>,
): Promise<unknown> => {
  const answer = await request(pair, "q", operation, { "session-id": "a", ...body });
  return [answer.applicationProperties?.get("statusCode"), answer.applicationProperties?.get("errorCondition")];
};

const completed = (delivery: IncomingDelivery | undefined): Readonly<Record<string, AmqpValue>> => ({
  "disposition-status": "completed",
  "lock-tokens": typed.array("uuid", [lockToken(tokenOf(delivery?.tag ?? new Uint8Array()))]),
});

const lost = [410, typed.symbol("com.microsoft:session-lock-lost")];

describe("a session that is not exclusive", () => {
  it.each([["a"], [null]])("is granted with its id and a token: %s", async (id) => {
    const { first } = await clients([1]);

    const shared = await accept(first, id);

    expect(shared.granted()).toEqual(["a", expect.stringMatching(/^[\da-f]{8}-[\da-f-]{27}$/)]);
  });

  it("is taken over with its locked messages and its state by the client that shows the token", async () => {
    const { first, second, engine } = await clients([1, 2]);
    const before = await accept(first, "a");
    before.link.grant(1);
    await first.run();
    await statusOf(first, "set-session-state", { "session-state": Uint8Array.of(7) });

    const after = await accept(second, "a", tokenIn(before));
    const byFirst = await statusOf(first, "update-disposition", completed(before.got[0]));
    const bySecond = await statusOf(second, "update-disposition", completed(before.got[0]));
    after.link.grant(5);
    await second.run();

    expect(after.granted()).toEqual(before.granted());
    expect([byFirst, bySecond]).toEqual([lost, [200, undefined]]);
    expect(after.got).toHaveLength(1);
    expect(await engine.peek("q", { maxMessages: 5 })).toHaveLength(1);
  });

  it("is lost to its first client with the next request, and at once when that waits for messages", async () => {
    const { first, second } = await clients([]);
    const before = await accept(first, "a");
    await accept(second, "a", tokenIn(before));
    const ended = first.detached.length;
    const state = await statusOf(first, "get-session-state", {});
    before.link.grant(1);
    await first.run();

    const waiting = await accept(first, "a", tokenIn(before));
    waiting.link.grant(1);
    await first.run();
    await accept(second, "a", tokenIn(before));
    await first.run();

    expect([ended, state]).toEqual([0, lost]);
    expect(first.detached).toMatchObject([
      { condition: "com.microsoft:session-lock-lost" },
      { condition: "com.microsoft:session-lock-lost" },
    ]);
  });

  it("stays with its second client when the first one closes its link or its connection", async () => {
    const { first, second } = await clients([1]);
    const before = await accept(first, "a");
    await accept(second, "a", tokenIn(before));
    before.link.detach();
    await first.run();
    first.client.close();
    await first.run();

    expect(await statusOf(second, "renew-session-lock", {})).toEqual([200, undefined]);
  });

  it("can be taken over from a client that was lost, until its lock ends", async () => {
    const clock = new ManualClock();
    const { first, second } = await clients([1], clock);
    const before = await accept(first, "a");
    first.server.wire.disconnected();

    await clock.advance(20_000);
    const taken = await accept(second, "a", tokenIn(before));
    const renewed = await statusOf(second, "renew-session-lock", {});
    await clock.advance(20_000);

    expect(taken.granted()).toEqual(["a", tokenIn(before)]);
    expect(renewed).toEqual([200, undefined]);
    expect(await statusOf(second, "get-session-state", {})).toEqual([200, undefined]);
  });

  it("is free again when its lock has ended, with another token", async () => {
    const clock = new ManualClock();
    const { first, second } = await clients([1], clock);
    const before = await accept(first, "a");
    first.server.wire.disconnected();
    await clock.advance(31_000);

    const late = await accept(second, "a", tokenIn(before));
    const again = await accept(second, "a");

    expect(late.granted()).toEqual([]);
    expect(second.detached).toMatchObject([{ condition: "com.microsoft:session-cannot-be-locked" }]);
    expect(again.granted()).toEqual(["a", expect.not.stringMatching(tokenIn(before))]);
  });

  it.each([
    ["with another token", "a", "00112233-4455-6677-8899-aabbccddeeff"],
    ["without a token", "a", undefined],
  ])("is not given to another client %s", async (_, id, token) => {
    const { first, second } = await clients([1]);
    await accept(first, "a");

    const refused = await accept(second, id, token);

    expect(refused.granted()).toEqual([]);
    expect(second.detached).toMatchObject([{ condition: "com.microsoft:session-cannot-be-locked" }]);
  });

  it("of another namespace is not taken over", async () => {
    const { first } = await clients([1]);
    const { second } = await clients([1]);
    const before = await accept(first, "a");

    await accept(second, "a", tokenIn(before));

    expect(second.detached).toMatchObject([{ condition: "com.microsoft:session-cannot-be-locked" }]);
  });
});
