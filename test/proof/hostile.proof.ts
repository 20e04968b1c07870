import type { ServedConnection } from "../../src/serve/server/amqp/served-connection.ts";
import type { Engine } from "../../src/core/engine/index.ts";
import { memoryEngine } from "../../src/broker/memory/index.ts";
import { createEnvelope } from "../../src/core/envelope/index.ts";
import { after, used } from "../serve/server/amqp/hostile-peer.support.ts";
import { answerOf } from "./hostile/answer.ts";
import type { HostileCase } from "./hostile/cases.ts";
import { encodingCases } from "./hostile/encodings.ts";
import { frameCases } from "./hostile/frames.ts";
import { httpCases, proveHttp } from "./hostile/http.ts";
import { linkCases } from "./hostile/links.ts";
import { performativeCases } from "./hostile/performatives.ts";
import { requestCases } from "./hostile/requests.ts";

/** The bytes that a peer may make the server hold besides its own. */
const mostHeld = 2 ** 20;
/** How often a measurement may be repeated: other work in the process can only add to it. */
const tries = 3;
/** Cases whose memory is measured together first. */
const together = 25;

const cases: readonly HostileCase[] = [
  ...performativeCases,
  ...frameCases,
  ...encodingCases,
  ...linkCases,
  ...requestCases,
];

/** Every hostile peer gets the answer that AMQP 1.0 or HTTP demands, within 50 ms of a turn and 1 MiB besides its own bytes. */
export async function prove(): Promise<string> {
  const names = [...cases, ...httpCases].map(({ what }) => what);
  if (new Set(names).size < names.length) throw new Error("Two cases have one name.");
  const wrong: string[] = [];
  for (const one of cases) wrong.push(...(await answered(one)));
  for (let first = 0; first < cases.length; first += together) {
    const some = cases.slice(first, first + together);
    if ((await heldBy(some)) > mostHeld)
      for (const one of some) if ((await heldBy([one])) > mostHeld) wrong.push(`${one.what}: more than 1 MiB is held`);
  }
  wrong.push(...(await proveHttp()));
  if (wrong.length > 0) throw new Error(`${wrong.length} of ${names.length} cases are wrong:\n${wrong.join("\n")}`);
  return `${names.length} hostile peers, ${httpCases.length} of them over HTTP, answered as they must be, within 50 ms of a turn and 1 MiB besides their own bytes`;
}

/** The faults of the answer, or of the processor time of a read. */
async function answered({ what, frames, answer }: HostileCase): Promise<readonly string[]> {
  let problem = "";
  for (let turn = 0; turn < tries; turn++) {
    const engine = await newEngine();
    try {
      const { told, over, connection } = await after(frames, {}, engine);
      const given = answerOf(told, over);
      connection.wire.disconnected();
      return given === answer ? [] : [`${what}: ${given} instead of ${answer}`];
    } catch (error) {
      problem = `${what}: ${error instanceof Error ? error.message : String(error)}`;
    } finally {
      await engine.close();
    }
  }
  return [problem];
}

/** The least bytes that a server holds for these peers together, besides what they have sent. */
async function heldBy(some: readonly HostileCase[]): Promise<number> {
  let least = Infinity;
  const sent = some.flatMap(({ frames }) => frames).reduce((total, bytes) => total + bytes.byteLength, 0);
  for (let turn = 0; turn < tries && least > mostHeld; turn++) {
    const engine = await newEngine();
    const kept: ServedConnection[] = [];
    const before = used();
    for (const { frames } of some) kept.push((await after(frames, {}, engine)).connection);
    least = Math.min(least, used() - before - sent);
    for (const { wire } of kept) wire.disconnected();
    await engine.close();
  }
  return least;
}

async function newEngine(): Promise<Engine> {
  const queues = { q: {}, s: { requiresSession: true } };
  const engine = memoryEngine({ queues, topics: { t: { subscriptions: ["a"] } } });
  const sender = await engine.openSender("q");
  await sender.send([createEnvelope({ payload: new Uint8Array(10) })]);
  return engine;
}
