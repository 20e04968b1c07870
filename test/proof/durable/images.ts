import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Engine } from "../../../src/core/engine/engine.ts";
import { createEnvelope } from "../../../src/core/envelope/envelope.ts";
import { storedConnection } from "../../../src/broker/memory/stored-verbs.ts";
import { StoredHome } from "../../../src/broker/memory/stored-home.ts";
import { DirectStore } from "../../broker/durable/direct-store.support.ts";
import { storeDirectory } from "../../broker/durable/store-directory.support.ts";
import type { Random } from "../../random.support.ts";
import { Acknowledgements, describe, markOf } from "./acknowledgements.ts";
import { Disk, storeFiles } from "./disk.ts";
import type { Event } from "./record.ts";

/** Makes images of a store after a loss of power at random moments, and opens each. */
export async function images(
  events: readonly Event[],
  count: number,
  random: Random,
): Promise<{ readonly checked: number }> {
  const creation = events.findIndex(({ kind }) => kind === "line");
  const moments = Array.from({ length: count }, (_, index) =>
    random.integer(index % 10 === 0 ? creation : events.length),
  ).toSorted((a, b) => a - b);
  const disk = new Disk();
  const acknowledgements = new Acknowledgements();
  let next = 0;
  let checked = 0;
  for (const [index, event] of events.entries()) {
    for (; moments[next] === index; next++) checked += await openImage(disk, acknowledgements, random);
    disk.add(event);
    if (event.kind === "line") acknowledgements.add(event.text);
  }
  return { checked };
}

/** @throws when the image does not open, or is not what was acknowledged. */
async function openImage(disk: Disk, acknowledgements: Acknowledgements, random: Random): Promise<number> {
  const directory = await storeDirectory();
  for (const file of ["m", "j", "w", "s"] as const)
    await writeFile(join(directory, storeFiles[file]), disk.files[file].lost(random));
  const home = await StoredHome.open(new DirectStore(directory), { memoryBudget: 0 });
  const engine = storedConnection("durable", home);
  const there = new Map<string, string>();
  for (const queue of await engine.admin.listQueues()) await addQueue(engine, queue, there, acknowledgements);
  for (const topic of await engine.admin.listTopics()) await addTopic(engine, topic, there, acknowledgements);
  acknowledgements.check(there);
  await sendMore(engine, there, acknowledgements, random);
  await engine.close();
  await rm(directory, { recursive: true });
  return there.size;
}

async function addMessages(
  engine: Engine,
  address: string,
  there: Map<string, string>,
  acknowledgements: Acknowledgements,
): Promise<void> {
  for (const part of ["", "/$DeadLetterQueue"])
    for (const delivery of await engine.peek(`${address}${part}`, { maxMessages: 1000 })) {
      const { envelope, sequenceNumber, state, deliveryCount } = delivery;
      const id = String(envelope.brokerProperties.messageId);
      const mark = markOf(envelope.applicationProperties);
      const name = `message ${address}${part} ${id}`;
      if (there.has(name)) throw new Error(`The ${name} is there twice.`);
      there.set(name, describe({ state, deliveryCount, delivered: false, mark }));
      acknowledgements.number(`${address}${part}`, id, String(sequenceNumber));
    }
}

async function addQueue(
  engine: Engine,
  queue: string,
  there: Map<string, string>,
  acknowledgements: Acknowledgements,
): Promise<void> {
  const { userMetadata = "", requiresSession } = await engine.admin.getQueue(queue);
  there.set(`entity ${queue}`, userMetadata);
  await addMessages(engine, queue, there, acknowledgements);
  if (requiresSession === true)
    for (const { sessionId, state } of await engine.inspection.sessions(queue))
      if (state !== undefined) there.set(`state ${queue} ${sessionId}`, Buffer.from(state).toString());
}

async function addTopic(
  engine: Engine,
  topic: string,
  there: Map<string, string>,
  acknowledgements: Acknowledgements,
): Promise<void> {
  const { admin } = engine;
  there.set(`entity ${topic}`, (await admin.getTopic(topic)).userMetadata ?? "");
  for (const name of await admin.listSubscriptions(topic)) {
    const address = `${topic}/Subscriptions/${name}`;
    there.set(`entity ${address}`, (await admin.getSubscription(topic, name)).userMetadata ?? "");
    for (const { name: rule, filter } of await admin.listRules(topic, name))
      if (filter.kind === "sql") there.set(`rule ${address} ${rule}`, filter.expression);
    await addMessages(engine, address, there, acknowledgements);
  }
}

/** Sends to every queue of the load: a message gets a number that none had, and an id that was seen is dropped. */
async function sendMore(
  engine: Engine,
  there: ReadonlyMap<string, string>,
  acknowledgements: Acknowledgements,
  random: Random,
): Promise<void> {
  const seen = new Map<string, string[]>();
  for (const [name] of acknowledgements.settled()) {
    const [kind, address = "", id = ""] = name.split(" ");
    if (kind === "seen") seen.set(address, [...(seen.get(address) ?? []), id]);
  }
  for (const [address, ids] of seen) {
    if (!there.has(`entity ${address}`)) continue;
    const fresh = `after-${address}`;
    const sender = await engine.openSender(address);
    for (const messageId of [random.pick(ids), random.pick(ids), fresh])
      await sender.send([createEnvelope({ payload: new Uint8Array(1), brokerProperties: { messageId } })]);
    const now = await engine.peek(address, { maxMessages: 1000 });
    for (const { envelope, sequenceNumber } of now) {
      const id = String(envelope.brokerProperties.messageId);
      if (id === fresh) acknowledgements.checkNew(address, String(sequenceNumber));
      else if (!there.has(`message ${address} ${id}`)) throw new Error(`${id} was sent twice after a restart.`);
    }
    if (now.length !== [...there.keys()].filter((name) => name.startsWith(`message ${address} `)).length + 1)
      throw new Error(`${address} has ${now.length} messages after one more was sent.`);
  }
}
