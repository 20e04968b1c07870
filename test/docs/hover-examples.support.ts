import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { entryPoints } from "../architecture/surface.support.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** An `@example` of a docstring. */
export interface HoverExample {
  /** File and the line of what it documents. */
  readonly title: string;
  readonly code: string;
  /** The lines that it says it prints, each after its `console.log(…)`. */
  readonly printed: readonly string[];
}

/** Every `@example` of the sources. */
export function hoverExamples(): readonly HoverExample[] {
  return globSync(["src/**/*.ts", "codecs/**/*.ts"], { cwd: root })
    .toSorted()
    .flatMap((file) => {
      const text = readFileSync(`${root}${file}`, "utf8");
      const blocks = text.matchAll(/\/\*\*(?:(?!\*\/)[^])*?@example(?:(?!\*\/)[^])*?\*\/\s*([^\n]*)/g);
      return Array.from(blocks, ([block, declared = ""]) => exampleOf(block, `${file}: ${declared.trim()}`));
    });
}

function exampleOf(block: string, title: string): HoverExample {
  const lines = block.slice(block.indexOf("@example")).split("\n").slice(1);
  const end = lines.findIndex((line) => /\*\/|^\s*\* @/.test(line));
  const code = lines
    .slice(0, end)
    .map((line) => line.replace(/^\s*\* ?/, ""))
    .filter((line) => !/^(?:```|import )/.test(line))
    .join("\n");
  const printed = Array.from(
    code.matchAll(/^ *(?:if \(.*\) )?console\.log\(.*\); \/\/ (.+)$/gm),
    ([, text = ""]) => text,
  );
  return { title, code, printed };
}

/** Names that examples may use without making them, with their makers in the order in which they need each other. */
const given: readonly (readonly [name: string, maker: string, needs: readonly string[]])[] = [
  ["engine", "await exampleEngine()", []],
  ["serializer", "exampleSerializer()", []],
  ["client", "createClient({ engine, serializer })", ["engine", "serializer"]],
  ["sender", 'client.createSender("orders")', ["client"]],
  ["receiver", 'client.createReceiver("orders")', ["client"]],
  ["message", "await only(receiver)", ["receiver"]],
  ["envelope", "exampleEnvelope()", []],
];

const setting = `
async function exampleEngine(): Promise<Engine> {
  const engine = memoryEngine({
    queues: { orders: {}, billing: {}, replies: {}, carts: { requiresSession: true } },
    topics: { events: { subscriptions: ["audit"] } },
  });
  const client = createClient({ engine, serializer: exampleSerializer() });
  await client.createSender("orders").sendMessages({ body: { id: 7 }, messageId: "order-7" });
  await client.createSender("carts").sendMessages({ body: { sku: "A-100" }, sessionId: "cart-7" });
  return engine;
}
function exampleSerializer(): Serializer {
  return createSerializer({ codecs: [json(), msgpack()] });
}
function exampleEnvelope(): Envelope {
  return createEnvelope({
    payload: new TextEncoder().encode('{"id":7}'),
    brokerProperties: { contentType: "application/json" },
  });
}
async function only<T>(receiver: { receiveMessages(count: number): Promise<readonly T[]> }): Promise<T> {
  const [message] = await receiver.receiveMessages(1);
  if (message === undefined) throw new Error("There is no message.");
  return message;
}
`;

/** A program that runs the examples one after the other, and prints a line \`# number\` before each. */
export function programOf(examples: readonly HoverExample[]): string {
  const bodies = examples.map(
    ({ code }, index) => `console.log("# ${index}");\n{\n${givenFor(code)}\n{\n${code}\n}\n}`,
  );
  return `${importsFor(setting + examples.map(({ code }) => code).join("\n"))}\n${setting}\n${bodies.join("\n")}\nprocess.exit();\n`;
}

function givenFor(code: string): string {
  const wanted = new Set<string>();
  const want = (name: string): void => {
    if (wanted.has(name)) return;
    wanted.add(name);
    for (const need of given.find(([one]) => one === name)?.[2] ?? []) want(need);
  };
  const plain = withoutTexts(code);
  for (const [name] of given) if (uses(plain, name) && !declares(plain, name)) want(name);
  return given.flatMap(([name, maker]) => (wanted.has(name) ? [`const ${name} = ${maker};`] : [])).join("\n");
}

const uses = (code: string, name: string): boolean => new RegExp(String.raw`(?<![.\w])${name}\b(?!\s*:)`).test(code);
const declares = (code: string, name: string): boolean =>
  new RegExp(String.raw`(?:const|for \(const|\[|\{|,) ?(?:\{[^}]*)?(?:\[[^\]]*)?\b${name}\b[^=;]*? (?:=|of) `).test(
    code,
  );
const withoutTexts = (code: string): string => code.replaceAll(/"[^"\n]*"|'[^'\n]*'|\/\/.*/g, '""');

/** Imports of every published name that the code uses, each from the first entry point that has it. */
function importsFor(code: string): string {
  const homes = new Map<string, string>();
  const words = new Set(code.match(/[A-Za-z_]\w*/g));
  for (const { specifier, names } of entryPoints) {
    for (const name of names.keys()) if (words.has(name) && !homes.has(name)) homes.set(name, specifier);
  }
  const schemas = words.has("z") ? ['import { z } from "zod";'] : [];
  const files = words.has("readFile") ? ['import { appendFile, readFile } from "node:fs/promises";'] : [];
  const published = Array.from(new Set(homes.values()), (home) => {
    const names = [...homes]
      .filter(([, specifier]) => specifier === home)
      .map(([name]) => {
        const one = entryPoints.find(({ specifier }) => specifier === home)?.names.get(name);
        return one?.isValue === true ? name : `type ${name}`;
      });
    return `import { ${names.join(", ")} } from "${home}";`;
  });
  return [...schemas, ...files, ...published].join("\n");
}
