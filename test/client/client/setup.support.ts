import { afterEach } from "vitest";
import { json } from "../../../codecs/json/index.ts";
import { createClient } from "../../../src/client/create-client.ts";
import type {
  Client,
  ClientOptions,
  MessageContext,
  ProcessErrorArgs,
  ProcessorHandlers,
} from "../../../src/client/client/index.ts";
import { createSerializer } from "../../../src/core/codec/index.ts";
import type { MemoryEngineOptions } from "../../../src/broker/memory/index.ts";
import type { ManualClock } from "../../../src/core/time/index.ts";
import { testEngine, type TestEngine } from "../../../src/client/testing/index.ts";

/** A client over a test engine, on its clock. */
export interface Setup extends TestEngine {
  readonly client: Client;
}

const open: Setup[] = [];

/** Makes one; it is closed after the test. */
export function setup(engine: Omit<MemoryEngineOptions, "clock">, options: Partial<ClientOptions> = {}): Setup {
  const made = testEngine(engine);
  const client = createClient({
    engine: made.engine,
    serializer: createSerializer({ codecs: [json()] }),
    clock: made.clock,
    ...options,
  });
  const all = { ...made, client };
  open.push(all);
  return all;
}

/** Advances the clock step by step until the promise is settled. */
export async function advancedUntil<T>(clock: ManualClock, step: number, promise: Promise<T>): Promise<T> {
  const settled = Promise.allSettled([promise]).then(() => true);
  while (!(await Promise.race([settled, clock.advance(step).then(() => false)])));
  return promise;
}

/** The entry, which must be there. */
export function one<T>(items: readonly T[]): T {
  const [first] = items;
  if (first === undefined) throw new Error("There is none.");
  return first;
}

afterEach(async () => {
  for (const { client, engine } of open.splice(0)) {
    await client.close();
    await engine.close();
  }
});

/** Handlers that note what they receive. */
export function noting<Message, Context = MessageContext>(
  processMessage: ProcessorHandlers<Message, Context>["processMessage"],
): { readonly errors: ProcessErrorArgs[]; readonly handlers: Noting<Message, Context> } {
  const errors: ProcessErrorArgs[] = [];
  return { errors, handlers: { processMessage, processError: (args: ProcessErrorArgs) => void errors.push(args) } };
}

type Noting<Message, Context> = Pick<ProcessorHandlers<Message, Context>, "processMessage" | "processError">;
