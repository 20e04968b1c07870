import { setImmediate } from "node:timers/promises";
import { type Arbitrary, array, constantFrom, dictionary, oneof as anyOf } from "fast-check";
import { json } from "../../codecs/json/index.ts";
import { createSerializer } from "../../src/core/codec/serializer.ts";
import { memoryEngine } from "../../src/broker/memory/memory-engine.ts";
import { createEnvelope } from "../../src/core/envelope/envelope.ts";
import { SobreError } from "../../src/core/errors/sobre-error.ts";
import { entryPoints } from "./surface.support.ts";

const envelope = createEnvelope({
  payload: Uint8Array.of(1, 2),
  brokerProperties: { contentType: "application/json" },
});

/** The error of the caller's own function, which may come through. */
const own = new TypeError("odd");

/** Values of every kind, of which none is right everywhere; "a" is the name of an entity. */
const odd = constantFrom<unknown>(
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
  "a",
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
    throw own;
  },
  envelope,
  memoryEngine({ queues: ["a"] }),
  createSerializer({ codecs: [json()] }),
);

const declared = entryPoints.flatMap(({ names }) => [...names.values()]).filter((one) => one !== undefined);
const membersOf = new Map(declared.map(({ name, members }) => [name, members]));
const everyMember = [...new Set(declared.flatMap(({ members }) => members))];

const objectOf = (members: readonly string[]): Arbitrary<unknown> =>
  dictionary(constantFrom(...members), odd, { maxKeys: 4, noNullPrototype: true });

/** Argument lists of wrong kinds, with objects that are half right: they have members of these types, or of any. */
export function wrongArguments(types: readonly string[] = []): Arbitrary<readonly unknown[]> {
  const known = types.flatMap((type) => membersOf.get(type) ?? []);
  const halfRight = objectOf(known.length === 0 ? everyMember : known);
  const argument = anyOf(
    { weight: 3, arbitrary: odd },
    { weight: 1, arbitrary: halfRight },
    { weight: 1, arbitrary: array(anyOf(odd, halfRight), { maxLength: 3 }) },
  );
  return array(argument, { maxLength: 4 });
}

/**
 * Calls, and gives what came out unless it is a SobreError or the caller's own error.
 *
 * @param patience turns of the event loop to wait for it.
 */
export async function foreignError(run: () => unknown, patience = 20): Promise<unknown> {
  try {
    await settle(run(), patience);
    return undefined;
  } catch (error) {
    return error instanceof SobreError || error === own ? undefined : error;
  }
}

/** Waits a moment for what was begun, and ends it. */
async function settle(result: unknown, patience: number): Promise<void> {
  const awaited: unknown = await (result instanceof Promise ? Promise.race([result, moment(patience)]) : result);
  if (typeof awaited !== "object" || awaited === null) return;
  if (Symbol.asyncIterator in awaited && "next" in awaited && "return" in awaited) {
    if (typeof awaited.next === "function" && typeof awaited.return === "function") {
      await Promise.race([awaited.next(), moment(patience)]);
      await Promise.race([awaited.return(), moment(patience)]);
    }
  }
  const dispose: unknown = Reflect.get(awaited, Symbol.asyncDispose);
  if (typeof dispose === "function") await Promise.race([Reflect.apply(dispose, awaited, []), moment(patience)]);
}

/** Some turns of the event loop: what has not ended then waits for messages or time. */
async function moment(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await setImmediate();
}
