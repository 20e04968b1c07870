import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import type { Engine } from "../../../src/core/engine/index.ts";
import type { MemoryEngineOptions } from "../../../src/broker/memory/index.ts";
import { createEnvelope } from "../../../src/core/envelope/index.ts";
import { type Figure, median } from "../harness.ts";

const folder = new URL("../../../src/broker/memory/", import.meta.url).href;

/** A call that reports to a store, where there is one. */
const call = /(?:this\.)?(?:#?\w+\.)*facts\?\.\w+\([^;]*?\);/g;

/** The endings of the addresses of two copies of the engine's modules, one of which never calls a store. */
const [hooked, bare] = ["?hooked", "?bare"];

const units = 5000;
const batch = 100;
const rounds = 61;

/** How long the memory engine takes without a store, against one that could not have any. */
export async function hooksWithoutStore(): Promise<Figure> {
  let removed = 0;
  const loading = registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      const copy = [hooked, bare].find((ending) => context.parentURL?.endsWith(ending));
      const own = resolved.url.startsWith(folder) && !resolved.url.includes("?");
      return copy !== undefined && own ? { ...resolved, url: `${resolved.url}${copy}` } : resolved;
    },
    load(url, context, next) {
      const loaded = next(url, context);
      if (!url.startsWith(folder) || !url.endsWith(bare)) return loaded;
      const source = readFileSync(new URL(url.slice(0, -bare.length)), "utf8");
      removed += [...source.matchAll(call)].length;
      return { ...loaded, source: source.replaceAll(call, ";") };
    },
  });
  const [one, other] = [await turnOver(hooked), await turnOver(bare)];
  loading.deregister();
  if (removed < 15) throw new Error(`Only ${removed} calls of a store were found in the memory engine.`);
  const ratios: number[] = [];
  for (let round = -20; round < rounds; round++) {
    const first = round % 2 === 0 ? await one() : 0;
    const without = await other();
    const ratio = (round % 2 === 0 ? first : await one()) / without;
    if (round >= 0) ratios.push(ratio);
  }
  return {
    name: "memory engine without a store against one without the calls of it",
    measured: median(ratios),
    bound: "most",
    target: 1.03,
    // Two equal copies may differ by a quarter on a busy machine.
    floor: 1.5,
    unit: "×",
  };
}

/** Microseconds of this thread's processor in which an engine of one copy sends, receives and completes some messages. */
async function turnOver(copy: string): Promise<() => Promise<number>> {
  const { memoryEngine }: { readonly memoryEngine: (options: MemoryEngineOptions) => Engine } = await import(
    `${folder}index.ts${copy}`
  );
  const engine = memoryEngine({ queues: ["q"], clock: { now: () => Date.now(), setTimer: () => ({ cancel() {} }) } });
  const sender = await engine.openSender("q");
  const receiver = await engine.openReceiver("q", { receiveMode: "peekLock" });
  const envelopes = Array.from({ length: batch }, (_, index) =>
    createEnvelope({ payload: new Uint8Array(1024), brokerProperties: { messageId: `order-${index}` } }),
  );
  return async () => {
    const start = process.threadCpuUsage();
    for (let sent = 0; sent < units; sent += batch) {
      await sender.send(envelopes);
      for (const { lockToken } of await receiver.receive({ maxMessages: batch, maxWaitTimeInMs: 0 }))
        if (lockToken !== undefined) await engine.settle("q", lockToken, { kind: "complete" });
    }
    const { user, system } = process.threadCpuUsage(start);
    return user + system;
  };
}
