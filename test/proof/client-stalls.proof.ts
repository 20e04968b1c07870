import { once } from "node:events";
import { connect, createServer, type Server as TcpServer, type Socket } from "node:net";
import { json } from "../../codecs/json/index.ts";
import { createSerializer } from "../../src/core/codec/index.ts";
import { createClient } from "../../src/client/create-client.ts";
import { createEnvelope } from "../../src/core/envelope/index.ts";
import { azureEngine } from "../../src/broker/azure/index.ts";
import { type Server, startServer } from "../../src/serve/server/index.ts";
import { seeded } from "../random.support.ts";
import type { ProofRun } from "./proof-run.ts";

type Random = ReturnType<typeof seeded>;

/** Milliseconds of every time-out. */
const timeOut = 300;
/** Milliseconds without progress after which an end counts as stalled. */
const patience = 3 * timeOut;
const atOnce = 50;
const faultsOfCase = 3;
/** Messages that must move, both ways, after the last fault. */
const needed = 3;

/**
 * A thousand clients behind faulty networks, fifty at once: cut and half-open connections, links that the broker detaches,
 * a broker that is away for a moment, credit that is lost. Every sender and every processor goes on within three time-outs.
 */
export async function prove({ seed, full, verbose }: ProofRun): Promise<string> {
  const random = seeded(seed);
  const time = OwnTime.begin();
  const server = await startServer({ queues: {} });
  const counts = new Map<string, number>();
  try {
    const total = full ? 1_000 : 300;
    const cases = Array.from({ length: total }, (_, number) => ({ number, seed: random.integer(2 ** 31 - 1) }));
    const work = async (upTo: number): Promise<void> => {
      for (let next = cases[0]; next !== undefined && next.number < upTo; next = cases[0]) {
        cases.shift();
        await runCase(server, next.number, seeded(next.seed), counts);
        if (verbose && next.number % 50 === 0) console.log(`  case ${next.number}`);
      }
    };
    // Compilers are at work in the first ones.
    await Promise.all(Array.from({ length: 4 }, () => work(8)));
    await Promise.all(Array.from({ length: atOnce }, () => work(Infinity)));
    const transfers = await passUnsettled(server, full ? 100_000 : 20_000);
    const faults = Array.from(counts, ([fault, count]) => `${count} ${fault}`)
      .toSorted()
      .join(", ");
    return `${total} clients went on after ${faults}; ${transfers} transfers passed one unsettled delivery; the event loop had ${time.share} % of the real time`;
  } finally {
    await server.close();
    time.end();
  }
}

/** Milliseconds between two looks at the real time, and the most that one turn of the event loop counts for. */
const turn = 5;

/**
 * The time of the event loop: a turn that lasts long, as when the machine has other work, counts for five milliseconds.
 *
 * Client, broker and network share this process, so that time in which it does not run is nobody's silence.
 */
class OwnTime {
  readonly #real: { readonly now: () => number; readonly date: () => number };
  readonly #ticking: NodeJS.Timeout;
  readonly #start: number;
  #passed = 0;
  #last: number;

  private constructor() {
    const { performance } = globalThis;
    this.#real = { now: performance.now.bind(performance), date: Date.now.bind(Date) };
    this.#start = this.#real.now();
    this.#last = this.#start;
    this.#ticking = setInterval(() => this.#look(), turn);
  }

  /** Has the clocks of this process show its own time. */
  static begin(): OwnTime {
    const time = new OwnTime();
    const date = time.#real.date();
    performance.now = () => time.#start + time.#passed;
    Date.now = () => Math.floor(date + time.#passed);
    return time;
  }

  /** How much of the real time it is, in percent. */
  get share(): number {
    return Math.round((100 * this.#passed) / (this.#real.now() - this.#start));
  }

  /** Has them show the real time again. */
  end(): void {
    clearInterval(this.#ticking);
    performance.now = this.#real.now;
    Date.now = this.#real.date;
  }

  #look(): void {
    const now = this.#real.now();
    this.#passed += Math.min(now - this.#last, turn);
    this.#last = now;
  }
}

async function runCase(server: Server, number: number, random: Random, counts: Map<string, number>): Promise<void> {
  const name = `case-${number}`;
  const { connectionString } = server.namespace(name, {
    queues: { q: { lockDuration: 1_000, maxDeliveryCount: 100 } },
  });
  const network = await Network.open(server.port);
  const engine = azureEngine({
    connectionString: connectionString.replace(/(Endpoint=sb:\/\/[^:;/]+)(:\d+)?/, `$1:${network.port}`),
    timeout: timeOut,
    idleTimeout: timeOut,
  });
  const client = createClient({
    engine,
    closeEngine: true,
    serializer: createSerializer({ codecs: [json()] }),
    retryOptions: { maxRetries: 50, timeoutInMs: timeOut, retryDelayInMs: 10, maxRetryDelayInMs: 50 },
  });
  const moved = { sender: 0, processor: 0 };
  const processor = client.startProcessor(
    "q",
    { processMessage: () => void moved.processor++, processError: () => undefined },
    { maxConcurrentCalls: 4, prefetchCount: random.integer(2) * 10 },
  );
  const sender = client.createSender("q");
  const stop = new AbortController();
  const sending = sendUntil(stop.signal, async () => {
    await sender.sendMessages({ body: number }, { abortSignal: stop.signal });
    moved.sender++;
  });
  try {
    // Fifty handshakes at once take as long as they take.
    await progress(moved, 1, `case ${number} at its start`, 5 * patience);
    for (let fault = 0; fault < faultsOfCase; fault++) {
      const kind = faults[random.integer(faults.length)] ?? "cuts";
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
      network.break(kind, random);
      await progress(moved, needed, `case ${number} after fault ${fault}, ${kind}`);
    }
    if (!processor.isRunning) throw new Error(`The processor of case ${number} has ended.`);
  } finally {
    stop.abort();
    await sending;
    await client.close();
    await network.close();
  }
}

async function sendUntil(signal: AbortSignal, send: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await send().catch(() => undefined);
    await new Promise((done) => setTimeout(done, 30));
  }
}

/** Waits until both ends have moved so many messages. @throws Error when one of them did not move for three time-outs. */
async function progress(
  moved: Record<"sender" | "processor", number>,
  count: number,
  when: string,
  longest: number = patience,
): Promise<void> {
  for (const end of ["sender", "processor"] as const) {
    const target = moved[end] + count;
    let last = moved[end];
    let movedAt = performance.now();
    while (moved[end] < target) {
      await new Promise((done) => setTimeout(done, 20));
      if (moved[end] > last) movedAt = performance.now();
      last = moved[end];
      if (performance.now() - movedAt > longest) throw new Error(`The ${end} stalled: ${when}.`);
    }
  }
}

const faults = ["cuts", "half-open sockets", "detached links", "restarts", "lost credits"] as const;
type Fault = (typeof faults)[number];

/** A relay between client and broker that breaks on demand. */
class Network {
  readonly #server: TcpServer;
  readonly #lines = new Set<Line>();
  readonly #target: number;
  #isAway = false;

  private constructor(server: TcpServer, target: number) {
    this.#server = server;
    this.#target = target;
    server.on("connection", (socket: Socket) => {
      if (this.#isAway) socket.destroy();
      else this.#lines.add(new Line(socket, connect(this.#target, "127.0.0.1"), (line) => this.#lines.delete(line)));
    });
  }

  static async open(target: number): Promise<Network> {
    const server = createServer();
    const network = new Network(server, target);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return network;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  }

  break(fault: Fault, random: Random): void {
    if (fault === "restarts") {
      this.#isAway = true;
      setTimeout(() => (this.#isAway = false), random.integer(150));
    }
    for (const line of this.#lines) line.break(fault, random);
  }

  async close(): Promise<void> {
    for (const line of this.#lines) line.break("cuts", seeded(0));
    const closed = once(this.#server, "close");
    this.#server.close();
    await closed;
  }
}

const code = { attach: 0x12, flow: 0x13, end: 0x17 } as const;

/** One connection, frame by frame. */
class Line {
  readonly #client: Socket;
  readonly #channels = new Set<number>();
  #isDead = false;
  #losesCredit = 0;

  constructor(client: Socket, broker: Socket, over: (line: Line) => void) {
    this.#client = client;
    client.setNoDelay(true);
    broker.setNoDelay(true);
    for (const socket of [client, broker]) {
      socket.on("error", () => undefined);
      socket.on("close", () => {
        over(this);
        client.destroy();
        broker.destroy();
      });
    }
    client.on(
      "data",
      framed((frame, performative) => {
        if (performative === code.attach) this.#channels.add(frame.readUInt16BE(6));
        if (performative === code.end) this.#channels.delete(frame.readUInt16BE(6));
        this.#relay(broker, frame, performative);
      }),
    );
    broker.on(
      "data",
      framed((frame, performative) => this.#relay(client, frame, performative)),
    );
  }

  break(fault: Fault, random: Random): void {
    if (fault === "cuts" || fault === "restarts") this.#client.destroy();
    else if (fault === "half-open sockets") this.#isDead = true;
    else if (fault === "lost credits") this.#losesCredit = 1;
    else {
      const channels = [...this.#channels];
      const channel = channels[random.integer(channels.length || 1)];
      if (channel !== undefined) this.#client.write(detachOf(channel));
    }
  }

  #relay(to: Socket, frame: Buffer, performative: number | undefined): void {
    if (this.#isDead) return;
    if (performative === code.flow && this.#losesCredit > 0) {
      this.#losesCredit--;
      return;
    }
    to.write(frame);
  }
}

/** Splits bytes into frames, protocol headers included. */
function framed(take: (frame: Buffer, performative: number | undefined) => void): (bytes: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (bytes) => {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    for (;;) {
      const size =
        rest.subarray(0, 4).toString("latin1") === "AMQP" ? 8 : rest.length < 4 ? Infinity : rest.readUInt32BE(0);
      if (rest.length < size) return;
      const frame = rest.subarray(0, size);
      rest = rest.subarray(size);
      const isAmqp = size > 11 && frame[5] === 0 && frame[8] === 0 && frame[9] === 0x53;
      take(frame, isAmqp ? frame[10] : undefined);
    }
  };
}

/** The frame by which a broker ends the link with handle 0 of a session, as after an idle time. */
function detachOf(channel: number): Buffer {
  const body = Buffer.from([0x00, 0x53, 0x16, 0xc0, 0x03, 0x02, 0x43, 0x41]);
  const frame = Buffer.concat([Buffer.alloc(8), body]);
  frame.writeUInt32BE(frame.length, 0);
  frame.writeUInt8(2, 4);
  frame.writeUInt16BE(channel, 6);
  return frame;
}

/** Receives so many messages on a link on which one delivery stays unsettled. */
async function passUnsettled(server: Server, count: number): Promise<number> {
  const { connectionString } = server.namespace("unsettled", { queues: { q: { lockDuration: 300_000 } } });
  const engine = azureEngine({ connectionString });
  const sender = await engine.openSender("q");
  const receiver = await engine.openReceiver("q", { receiveMode: "peekLock" });
  const envelope = createEnvelope({ payload: new Uint8Array(8) });
  await sender.send([envelope]);
  const [held] = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 1_000 });
  if (held === undefined) throw new Error("The first message did not come.");
  let passed = 0;
  while (passed < count) {
    await sender.send(Array.from({ length: 100 }, () => envelope));
    for (let left = 100; left > 0;) {
      const deliveries = await receiver.receive({ maxMessages: left, maxWaitTimeInMs: 10_000 });
      if (deliveries.length === 0) throw new Error(`The receiver stalled after ${passed} transfers.`);
      left -= deliveries.length;
      passed += deliveries.length;
      await Promise.all(
        deliveries.map(async ({ lockToken }) => {
          if (lockToken !== undefined) await engine.settle("q", lockToken, { kind: "complete" });
        }),
      );
    }
  }
  await engine.close();
  return passed;
}
