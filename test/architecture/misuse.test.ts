import { fileURLToPath, pathToFileURL } from "node:url";
import { assert, asyncProperty } from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { foreignError, wrongArguments } from "./misuse.support.ts";
import { closeSubjects, implementedByUsers, subjects } from "./misuse-subjects.support.ts";
import { entryPoints } from "./surface.support.ts";

// Calls every function, class and method of the pinned surface with wrong kinds of arguments: only SobreError may be
// thrown.

interface Callable {
  readonly name: string;
  readonly types: readonly string[];
  readonly call: (args: readonly unknown[]) => unknown;
}

const root = pathToFileURL(fileURLToPath(new URL("../../", import.meta.url)));

async function functions(): Promise<readonly Callable[]> {
  const found = new Map<string, Callable>();
  for (const { specifier, file, names } of entryPoints) {
    const module: Readonly<Record<string, unknown>> = await import(new URL(file, root).href);
    for (const [name, declared] of names) {
      const value = module[name];
      if (declared === undefined || found.has(declared.id) || typeof value !== "function") continue;
      const isClass = Function.prototype.toString.call(value).startsWith("class");
      const call = (args: readonly unknown[]): unknown =>
        isClass ? Reflect.construct(value, args) : Reflect.apply(value, undefined, args);
      found.set(declared.id, { name: `${name} of ${specifier}`, types: declared.parameters, call });
    }
  }
  return [...found.values()];
}

/** Every function that can be reached from a value: its own, those of its prototypes, and those of a class itself. */
function methodsOf(subject: object): readonly string[] {
  const names = new Set<string>();
  for (
    let at: unknown = subject;
    typeof at === "object" && at !== null && at !== Object.prototype;
    at = Object.getPrototypeOf(at)
  ) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(at)))
      if (typeof value === "function" && name !== "constructor") names.add(name);
  }
  if (typeof subject === "function") {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(subject)))
      if (typeof value === "function" && name !== "prototype") names.add(name);
  }
  return [...names];
}

const declared = new Map(
  entryPoints
    .flatMap(({ names }) => [...names.values()])
    .flatMap((one) => (one === undefined ? [] : [[one.name, one]])),
);

/** The methods that an interface or those it names have; of a class, or what has no interface, all count. */
const isPublic = (name: string, method: string): boolean => {
  const one = declared.get(name);
  if (one === undefined || one.methods.length === 0) return true;
  return [one, ...one.names()].some(({ methods, members }) => methods.includes(method) || members.includes(method));
};

/** The types in the parameters of the methods that an interface or those it extends have. */
const typesOf = (name: string): readonly string[] => {
  const one = declared.get(name);
  return one === undefined ? [] : [...one.methodTypes, ...one.names().flatMap(({ methodTypes }) => methodTypes)];
};

describe("wrong arguments", async () => {
  const all = await functions();

  it("are tried on every function", () => {
    expect(all.length).toBeGreaterThan(170);
  });

  it.each(all)("of $name end in a SobreError", async ({ call, types }) => {
    await assert(
      asyncProperty(wrongArguments(types), async (args) => {
        expect(await foreignError(() => call(args))).toBeUndefined();
      }),
      { numRuns: 40, seed: 1, endOnFailure: true },
    );
  });
});

describe("wrong arguments of methods", () => {
  afterAll(closeSubjects);

  it("are tried on everything that has methods, but what users write", () => {
    const withMethods = [...declared.values()].filter(({ methods }) => methods.length > 0).map(({ name }) => name);
    const tried = new Set([...subjects.map(({ name }) => name), ...implementedByUsers]);

    expect(withMethods.filter((name) => !tried.has(name))).toEqual([]);
  });

  it.each(subjects)("of $name end in a SobreError", async ({ name, as = name, make, spared, patience }) => {
    const named = methodsOf(await make()).filter((method) => isPublic(as, method));
    expect(named).not.toEqual([]);
    for (const method of named) {
      // A method may leave something behind, which is not to be in the way of the next one.
      const subject = await make();
      await assert(
        asyncProperty(wrongArguments(typesOf(as)), async (args) => {
          if (spared?.(args) === true) return;
          const call: unknown = Reflect.get(subject, method);
          const run = (): unknown => (typeof call === "function" ? Reflect.apply(call, subject, args) : undefined);
          expect(await foreignError(run, patience), method).toBeUndefined();
        }),
        { numRuns: 20, seed: 1, endOnFailure: true },
      );
    }
  });
});
