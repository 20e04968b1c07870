import { fileURLToPath, pathToFileURL } from "node:url";
import { array, assert, asyncProperty, constantFrom, dictionary, oneof as anyOf } from "fast-check";
import { describe, expect, it } from "vitest";
import { json } from "../../codecs/json/index.ts";
import { createSerializer } from "../../src/codec/serializer.ts";
import { memoryEngine } from "../../src/engines/memory/memory-engine.ts";
import { createEnvelope } from "../../src/envelope/envelope.ts";
import { SobreError } from "../../src/errors/sobre-error.ts";
import { entryPoints } from "./surface.support.ts";

// Calls every function and class of the pinned surface with wrong kinds of arguments: SobreError alone may come out.

interface Callable {
  readonly id: string;
  readonly name: string;
  readonly call: (args: readonly unknown[]) => unknown;
}

const root = pathToFileURL(fileURLToPath(new URL("../../", import.meta.url)));

async function callables(): Promise<readonly Callable[]> {
  const found = new Map<string, Callable>();
  for (const { specifier, file, names } of entryPoints) {
    const module: Readonly<Record<string, unknown>> = await import(new URL(file, root).href);
    for (const [name, declared] of names) {
      const value = module[name];
      if (declared === undefined || found.has(declared.id) || typeof value !== "function") continue;
      const isClass = Function.prototype.toString.call(value).startsWith("class");
      const call = (args: readonly unknown[]): unknown =>
        isClass ? Reflect.construct(value, args) : Reflect.apply(value, undefined, args);
      found.set(declared.id, { id: declared.name, name: `${name} of ${specifier}`, call });
    }
  }
  return [...found.values()];
}

const envelope = createEnvelope({
  payload: Uint8Array.of(1, 2),
  brokerProperties: { contentType: "application/json" },
});

/** Values of every kind, of which none is right everywhere. */
const odd = anyOf(
  constantFrom<unknown>(
    undefined,
    null,
    true,
    0,
    -1,
    5,
    2 ** 53,
    NaN,
    1n,
    -(2n ** 70n),
    "",
    "a b",
    "\ud800",
    "/dev/null/x",
    Symbol("odd"),
    new Date(NaN),
    new Map([[1, 2]]),
    new Error("odd"),
    Uint8Array.of(1, 2, 3),
    Object.create(null),
    Promise.resolve(1),
    () => undefined,
    () => {
      throw new TypeError("odd");
    },
    envelope,
    memoryEngine({ queues: ["a"] }),
    createSerializer({ codecs: [json()] }),
  ),
);

const memberNames = [
  ...new Set(entryPoints.flatMap(({ names }) => Array.from(names.values(), (one) => one?.members ?? [])).flat()),
];
const halfRight = dictionary(constantFrom(...memberNames), odd, { maxKeys: 4, noNullPrototype: true });
const argument = anyOf({ weight: 3, arbitrary: odd }, halfRight, array(anyOf(odd, halfRight), { maxLength: 3 }));

async function foreignError(run: () => unknown): Promise<unknown> {
  try {
    const result = run();
    await settle(result);
    return undefined;
  } catch (error) {
    return error instanceof SobreError ? undefined : error;
  }
}

/** Waits a moment for what was begun, and ends it. */
async function settle(result: unknown): Promise<void> {
  const awaited: unknown = await (result instanceof Promise ? Promise.race([result, moment()]) : result);
  if (typeof awaited !== "object" || awaited === null) return;
  if (Symbol.asyncIterator in awaited && "next" in awaited && "return" in awaited) {
    if (typeof awaited.next === "function" && typeof awaited.return === "function") {
      await Promise.race([awaited.next(), moment()]);
      await Promise.race([awaited.return(), moment()]);
    }
  }
  const dispose: unknown = Reflect.get(awaited, Symbol.asyncDispose);
  if (typeof dispose === "function") await Promise.race([Reflect.apply(dispose, awaited, []), moment()]);
}

const moment = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 200));

describe("wrong arguments", async () => {
  const all = await callables();

  it("are tried on every function", () => {
    expect(all.length).toBeGreaterThan(170);
  });

  it.each(all)("of $name end in a SobreError", async ({ call }) => {
    await assert(
      asyncProperty(array(argument, { maxLength: 4 }), async (args) => {
        const error = await foreignError(() => call(args));

        expect(error).toBeUndefined();
      }),
      { numRuns: 60, seed: 1, endOnFailure: true },
    );
  });
});
