import { Agent, request } from "node:http";
import type { Random } from "../../random.support.ts";
import {
  amqpAttempts,
  type Answer,
  type Ask,
  everywhere,
  httpAttempts,
  overAmqp,
  overHttp,
  type Outcome,
  type Result,
} from "./attempts.ts";
import { allowedIn, type Attempt, type Border, takesOver, rules } from "./model.ts";
import { WireClient } from "./wire-client.ts";
import { arrivalsIn, type Shown, type World } from "./worlds.ts";

/** One client: what it shows in which order, where it connects, and how. */
export interface Visit {
  readonly shown: readonly Shown[];
  readonly host: string;
  readonly border: Border;
}

/** The outcome of an attempt of a client. */
interface Decision {
  readonly visit: Visit;
  readonly attempt: Attempt;
  readonly border: Border;
  readonly result: Result;
}

/** Clients at a time: refusals are answered after a pause. */
const workers = 32;

const httpBorders: ReadonlySet<Border> = new Set(["HTTP", "HTTP administration", "control API", "inspector API"]);

/** Every client of a world, alone and after another one on the same connection. */
export function visitsOf({ credentials, model }: World): readonly Visit[] {
  const hosts = model.namespaces.map(({ name }) => (name === "" ? "localhost" : `${name}.localhost`));
  const plain = credentials.filter((one) => one.plain !== undefined);
  const sequences: readonly (readonly Shown[])[] = [
    ...credentials.map((one) => [one]),
    ...credentials.flatMap((one) => credentials.map((other) => [one, other])),
  ];
  const plainly = [...plain.map((one) => [one]), ...plain.flatMap((one) => credentials.map((other) => [one, other]))];
  return hosts.flatMap((host) => [
    ...sequences.flatMap((shown): readonly Visit[] => [
      { shown, host, border: "AMQP $cbs" },
      { shown, host, border: "WebSocket" },
    ]),
    ...plainly.map((shown): Visit => ({ shown, host, border: "AMQP PLAIN" })),
    ...credentials.map((one): Visit => ({ shown: [one], host, border: "HTTP" })),
  ]);
}

/** Lets the clients try everything, some at a time, and compares what was done with the model. @returns The decisions. */
export async function compare(world: World, visits: readonly Visit[]): Promise<number> {
  const decisions: Decision[] = [];
  const left = [...visits];
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const work = async (): Promise<void> => {
    for (let visit = left.pop(); visit !== undefined; visit = left.pop())
      decisions.push(...(await (visit.border === "HTTP" ? byHttp(world, visit, agent) : byAmqp(world, visit))));
  };
  await Promise.all(Array.from({ length: workers }, work));
  agent.destroy();
  const places = await placesOf(world);
  const wrong = decisions.flatMap((decision) => problemOf(world, decision, places) ?? []);
  if (wrong.length > 0)
    throw new Error(`${wrong.length} of ${decisions.length} decisions are wrong:\n${wrong.slice(0, 20).join("\n")}`);
  return decisions.length;
}

function problemOf(world: World, { visit, attempt, border, result }: Decision, places: Places): string | undefined {
  const expected = allowedIn(
    world.model,
    visit.shown.map(({ credential }) => credential),
    { ...visit, border },
    attempt,
  );
  const done = outcomeOf(result, places);
  if (done === expected || (done === everywhere && expected !== undefined)) return undefined;
  const { operation, entity, other } = attempt;
  const who = visit.shown.map(({ name }) => name).join(", then ");
  return `${world.name}, ${border}, ${visit.host}: ${who}: ${operation} ${entity} ${other ?? ""} was done ${where(done)} and may be done ${where(expected)}`;
}

const where = (outcome: Outcome): string => (outcome === undefined ? "nowhere" : `in "${outcome}"`);

/** The namespaces of everything new, by its id. */
type Places = ReadonlyMap<string, readonly string[]>;

async function placesOf({ engines }: World): Promise<Places> {
  const places = new Map<string, string[]>();
  for (const [namespace, engine] of engines) {
    const found = [...(await arrivalsIn(engine)), ...(await engine.admin.listQueues())];
    for (const id of found) places.set(id, [...(places.get(id) ?? []), namespace]);
  }
  return places;
}

function outcomeOf(result: Result, places: Places): Outcome {
  if (typeof result !== "object") return result;
  const found = places.get(result.id) ?? [];
  return found.length === 1 ? found[0] : `${found.join(" and ")}, though it was accepted`;
}

async function byAmqp({ server }: World, visit: Visit): Promise<readonly Decision[]> {
  const { shown, host, border } = visit;
  const isPlain = border === "AMQP PLAIN";
  const options = { port: server.port, hostname: host, isWebSocket: border === "WebSocket" };
  const client = new WireClient({ ...options, plain: isPlain ? shown[0]?.plain : undefined });
  const isOpen = await client.isOpen();
  const decisions: Decision[] = [];
  if (isOpen)
    for (const { token } of shown.slice(isPlain ? 1 : 0)) if (token !== undefined) await client.putToken(token);
  for (const attempt of amqpAttempts)
    decisions.push({ visit, attempt, border, result: isOpen ? await overAmqp(client, attempt) : undefined });
  await client.close();
  return decisions;
}

async function byHttp({ server }: World, visit: Visit, agent: Agent): Promise<readonly Decision[]> {
  const [{ token } = { token: undefined }] = visit.shown;
  const host = `${visit.host}:${server.port}`;
  const isSigned = token?.startsWith("SharedAccessSignature ");
  const authorization = token === undefined ? {} : { authorization: isSigned === true ? token : `Bearer ${token}` };
  const ask: Ask = async (method, path, { headers = {}, body = "" } = {}) => {
    const options = { agent, host: "127.0.0.1", port: server.port, method, path: `/${path}` };
    const answer = await asked({ ...options, headers: { host, ...authorization, ...headers } }, body);
    if (answer.status === 401) return undefined;
    if (answer.status < 300) return answer;
    throw new Error(`${method} ${path} was answered with ${answer.status}: ${answer.text}`);
  };
  return Promise.all(
    httpAttempts.map(async (attempt) => {
      const border = rules[attempt.operation].borders.find((one) => httpBorders.has(one)) ?? "HTTP";
      return { visit, attempt, border, result: await overHttp(ask, attempt) };
    }),
  );
}

const asked = (options: Parameters<typeof request>[1], body: string): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const asking = request(options, (answer) => {
      const parts: Buffer[] = [];
      answer.on("data", (part: Buffer) => parts.push(part));
      answer.on("error", reject);
      answer.on("end", () => {
        const text = Buffer.concat(parts).toString("utf8");
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text });
      });
    });
    asking.on("error", reject);
    asking.end(body);
  });

const show = async (client: WireClient, { token }: Shown): Promise<void> => {
  if ((await client.isOpen()) && token !== undefined) await client.putToken(token);
};

/** The entities that a client attaches its link to, until it is let. */
const attached = ["b", "t/Subscriptions/s", "a"];

/** Lets clients take over the links of others, one after the other. @returns The number of decisions. */
export async function compareTakeovers(
  { name, model, server, credentials }: World,
  count: number,
  random: Random,
): Promise<number> {
  const wrong: string[] = [];
  let taken = 0;
  const turn = async (): Promise<void> => {
    const host = random.pick(model.namespaces).name || "localhost";
    const way = { host, border: "AMQP $cbs" } as const;
    const listening = { operation: "receive", entity: "a" } as const;
    // Of all pairs, few have a link to take.
    const able = credentials.filter(({ credential }) => allowedIn(model, [credential], way, listening) !== undefined);
    const victim = random.pick(random.chance(0.8) ? able : credentials);
    const { keyName, subject } = victim.credential;
    const akin = credentials.filter(
      ({ credential }) => credential.keyName === keyName && credential.subject === subject,
    );
    const thief = random.pick(random.chance(0.6) ? akin : able);
    const options = { port: server.port, hostname: host, isWebSocket: false, containerId: crypto.randomUUID() };
    const [held, other] = [new WireClient(options), new WireClient(options)];
    await show(held, victim);
    const look = await held.listen("a", "link");
    await show(other, thief);
    for (const entity of attached) if ((await other.listen(entity, "link")) !== undefined) break;
    const isTaken = look !== undefined && !(await look());
    await Promise.all([held.close(), other.close()]);
    const both = [victim.credential, thief.credential] as const;
    const expected = takesOver(model, both, way, { entity: "a", attached });
    if (isTaken) taken++;
    if (isTaken !== expected)
      wrong.push(`${name}, ${host}: the link of ${victim.name} was ${isTaken ? "" : "not "}taken by ${thief.name}`);
  };
  const work = async (): Promise<void> => {
    for (let left = count / workers; left > 0; left--) await turn();
  };
  await Promise.all(Array.from({ length: workers }, work));
  if (wrong.length > 0)
    throw new Error(`${wrong.length} of ${count} links are wrong:\n${wrong.slice(0, 20).join("\n")}`);
  if (taken === 0 || taken === count) throw new Error(`Of ${count} links, ${taken} were taken.`);
  return count;
}

/** Some of the clients, each kind of way in the same number of times. */
export function someOf(visits: readonly Visit[], count: number, random: Random): readonly Visit[] {
  const kinds = Map.groupBy(visits, ({ border, shown }) => `${border} ${shown.length}`);
  return Array.from(kinds.values(), (ones) =>
    Array.from({ length: Math.min(count, ones.length) }, () => random.pick(ones)),
  ).flat();
}
