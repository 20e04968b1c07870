import { afterAll, describe, expect, it } from "vitest";
import { SobreError } from "../../src/core/errors/sobre-error.ts";
import { closeDurationSubjects, durationOptions, millisecondOptions } from "./durations.support.ts";
import { entryPoints, type TypedName } from "./surface.support.ts";

interface Named extends TypedName {
  /** Declaration and path, e.g. `PauseWhen.maxPause`. */
  readonly id: string;
  /** The last name of the path. */
  readonly name: string;
}

const declarations = new Map(
  entryPoints.flatMap(({ names }) => Array.from(names.values(), (one) => [one?.id, one] as const)),
);
const surface: readonly Named[] = Array.from(declarations.values()).flatMap((one) =>
  (one?.typed ?? []).map((typed) => ({
    ...typed,
    id: `${one?.name}.${typed.path}`,
    name: typed.path.split(".").at(-1) ?? "",
  })),
);

/** Names of time spans; those of points in time end in `At`, `Utc` or `until`. */
const speaksOfTime =
  /(?:duration|timeout|interval|waittime|^wait|pause|delay(?:ed|s)?|lease|retention|^age|idle|settletime|steptime|patience|lifetime|timetolive|^ttl|period|window|renewal|milliseconds|inms)$/i;

/** Values that messages carry, in the unit that the message model gives them. */
const inMessages: ReadonlySet<string> = new Set([
  "BrokerProperties.timeToLive",
  "MessageHeader.ttl",
  "ServiceBusMessageFields.timeToLive",
  "ServiceBusMessageLike.timeToLive",
]);

/** Milliseconds that sobre hands out, or hands to what users implement: not options. */
const handedOut: ReadonlySet<string> = new Set([
  "EngineHarness.constructor.patienceInMs",
  "Inbox.claim.durationInMs",
  "Inbox.renew.durationInMs",
  "Inbox.retentionInMs",
  "OutboxStore.lead.durationInMs",
  "PausedEvent.pauseInMs",
  "PostgresHealth.oldestTransactionInMs",
  "RetryingEvent.delayInMs",
]);

const errorOf = async (act: () => unknown): Promise<unknown> => {
  try {
    await act();
    return undefined;
  } catch (error) {
    return error;
  }
};

/** Whether an error is about this option; other errors show that the option was accepted. */
const blames = (error: unknown, option: string): boolean =>
  error instanceof SobreError && error.code === "InvalidArgument" && error.message.includes(option);

const shown = (value: unknown): string => (typeof value === "number" ? `${value}` : JSON.stringify(value));

afterAll(closeDurationSubjects);

describe("a public name of a duration", () => {
  const numbers = surface.filter(({ name, types }) => speaksOfTime.test(name) && types.includes("number"));
  const flexible = surface.filter(({ types }) => types.includes("DurationLike"));

  it("is InMs or milliseconds where it is a number, and only there", () => {
    const others = numbers.filter(
      ({ id, name, types }) =>
        !inMessages.has(id) && (types.includes("string") || !/(?:InMs|[mM]illiseconds)$/.test(name)),
    );

    expect(numbers.length).toBeGreaterThan(15);
    expect(others.map(({ id }) => id)).toEqual([]);
  });

  it("has no unit where it is a DurationLike", () => {
    expect(flexible.length).toBeGreaterThan(20);
    expect(flexible.filter(({ name }) => /InMs|[mM]illiseconds|[sS]econds/.test(name))).toEqual([]);
  });

  it("is tried below, whatever takes it", () => {
    const taken = flexible.map(({ id }) => id);
    const given = numbers.filter(({ id, name }) => name.endsWith("InMs") && !handedOut.has(id));

    expect([...new Set(taken)].toSorted()).toEqual(Object.keys(durationOptions).toSorted());
    expect(given.map(({ id }) => id).toSorted()).toEqual(Object.keys(millisecondOptions).toSorted());
  });
});

describe("an option that takes a DurationLike", () => {
  it.each(Object.entries(durationOptions))("%s accepts numbers and both texts", async (id, { use, samples }) => {
    const name = id.split(".").at(-1) ?? "";
    for (const value of samples ?? ["5s", "PT5S", 5_000, 12.5]) {
      const error = await errorOf(() => use(value));
      expect(
        blames(error, name) || error instanceof TypeError ? error : undefined,
        `${name}: ${shown(value)}`,
      ).toBeUndefined();
    }
  });

  it.each(Object.entries(durationOptions))("%s refuses anything else by its name", async (id, { use }) => {
    const name = id.split(".").at(-1) ?? "";
    for (const value of ["5", "-5s", "soon", "", "PT", -1, NaN, true, null, {}]) {
      const error = await errorOf(() => use(value));
      expect(error, `${name}: ${shown(value)}`).toMatchObject({ code: "InvalidArgument" });
      expect(blames(error, name), `${name}: ${shown(value)}: ${String(error)}`).toBe(true);
    }
  });
});

describe("an option in milliseconds", () => {
  it.each(Object.entries(millisecondOptions))("%s takes a number and nothing else", async (id, use) => {
    const name = id.split(".").at(-1) ?? "";
    expect(blames(await errorOf(() => use(20)), name)).toBe(false);
    for (const value of ["5s", "5", -1, NaN, null]) {
      const error = await errorOf(() => use(value));
      expect(error, `${name}: ${shown(value)}`).toMatchObject({ code: "InvalidArgument", path: `$.${pathOf(id)}` });
    }
  });
});

/** The path in the error: `retryOptions.` comes before the options of retries. */
function pathOf(id: string): string {
  const [owner = "", name = ""] = id.split(".");
  return owner === "RetryOptions" ? `retryOptions.${name}` : name;
}
