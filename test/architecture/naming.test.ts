import { describe, expect, it } from "vitest";
import { type Declared, entryPoints } from "./surface.support.ts";

const root = new URL("../../", import.meta.url);

const values = await Promise.all(
  entryPoints.map(async ({ specifier, file, names }) => {
    const module: Readonly<Record<string, unknown>> = await import(new URL(file, root).href);
    return Object.entries(module).map(([name, value]) => ({ specifier, name, value, declared: names.get(name) }));
  }),
).then((found) => found.flat());

const functions = values.filter(({ value }) => typeof value === "function");
const isClass = (value: unknown): boolean => String(value).startsWith("class");

/** Whether it is closed at the end of its life. */
function isClosed(declared: Declared): boolean {
  return declared.methods.includes("close") || declared.names().some(({ methods }) => methods.includes("close"));
}

/** Nouns that plugs with a `close` end in. */
const plug = /(?:Engine|Inbox|Outbox|Sender)$/;

describe("a public function", () => {
  it("that makes something with a lifetime is called create… or start…, or is the noun of a plug", () => {
    const makers = functions.filter(({ declared }) => declared?.returned().some(isClosed) === true);
    const others = makers.filter(({ name }) => !/^(?:create|start)[A-Z]/.test(name) && !plug.test(name));

    expect(makers.length).toBeGreaterThan(10);
    expect(others.map(({ name, specifier }) => `${name} of ${specifier}`)).toEqual([]);
  });

  it("has no other word for making", () => {
    const others = functions.filter(({ name }) => /^(?:open(?!Telemetry)|make|new|build|get|pg)[A-Z]/.test(name));

    expect(others.map(({ name, specifier }) => `${name} of ${specifier}`)).toEqual([]);
  });
});

describe("a public class", () => {
  it("is constructed by users only if it is a value, an error or a clock", () => {
    const homes = new Set(["sobre/values", "sobre/codecs/dotnet", "sobre/codecs/msgpack"]);
    const others = functions.filter(({ value, specifier }) => isClass(value) && !homes.has(specifier));

    expect([...new Set(others.map(({ name }) => name))].toSorted()).toEqual(["ManualClock", "SobreError"]);
  });
});
