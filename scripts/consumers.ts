/**
 * Packs the package and installs it into three empty projects that use it: ESM, CommonJS and TypeScript.
 *
 *     npm run check:consumers
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const lock: { readonly packages: Readonly<Record<string, { readonly version?: string }>> } = JSON.parse(
  readFileSync(join(root, "package-lock.json"), "utf8"),
);

/** The same program for each kind of project; `$IMPORTS` is how that kind imports. */
const program = `$IMPORTS

async function main() {
  const serializer = createSerializer({ codecs: [json(), msgpack(), text()], fallback: ["msgpack"] });
  const packed = serializer.serialize({ body: { id: 9007199254740993n }, contentType: "application/vnd.msgpack" });
  const unpacked = serializer.deserialize(packed);
  assert.ok(unpacked.ok);
  assert.deepEqual(unpacked.body, { id: 9007199254740993n });

  const engine = memoryEngine({ queues: ["orders"] });
  const client = createClient({ engine, serializer });
  const sender = client.createSender("orders");
  await sender.sendMessages({ body: "hello", contentType: "text/plain" });
  const java = new Uint8Array([0xac, 0xed, 0x00, 0x05]);
  await sender.sendEnvelopes(createEnvelope({ payload: java, brokerProperties: { contentType: "application/json" } }));

  const receiver = client.createReceiver("orders", { onUnreadable: "dead-letter" });
  const messages = await receiver.receiveMessages(2, { maxWaitTimeInMs: 0 });
  assert.deepEqual(messages.map(({ body }) => body), ["hello"]);
  const [dead] = await client.createReceiver("orders/$DeadLetterQueue").receiveMessages(1, { maxWaitTimeInMs: 0 });
  assert.equal(dead?.deadLetterReason, "Unreadable");
  assert.match(dead?.deadLetterErrorDescription ?? "", /Java object serialization/);
  assert.deepEqual(dead?.envelope.payload, java);
  await client.close();
  await engine.close();
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
`;

const names = "createClient, createEnvelope, createSerializer, json, memoryEngine, msgpack";
const asModule = `import assert from "node:assert/strict";
import { ${names} } from "sobre";
import { text } from "sobre/codecs/text";`;
const asCommonJs = `const assert = require("node:assert/strict");
const { ${names} } = require("sobre");
const { text } = require("sobre/codecs/text");`;

interface Project {
  readonly name: string;
  readonly type: "module" | "commonjs";
  readonly source: string;
  readonly imports: string;
  readonly devDependencies?: Readonly<Record<string, string>>;
  /** Arguments of programs in node_modules/.bin to run before the program. */
  readonly before?: readonly (readonly string[])[];
  readonly files?: Readonly<Record<string, string>>;
}

const projects: readonly Project[] = [
  { name: "esm", type: "module", source: "main.js", imports: asModule },
  { name: "commonjs", type: "commonjs", source: "main.js", imports: asCommonJs },
  {
    name: "typescript",
    type: "module",
    source: "main.ts",
    imports: asModule,
    devDependencies: { typescript: installed("typescript"), "@types/node": installed("@types/node") },
    before: [["tsc"], ["tsc", "-p", "tsconfig.web.json"]],
    files: {
      "tsconfig.json": JSON.stringify({
        compilerOptions: { module: "nodenext", target: "es2023", strict: true, types: ["node"], skipLibCheck: false },
        files: ["main.ts"],
      }),
      // The declarations name nothing of Node's that a project without its types would lack.
      "web.ts": ["sobre", "sobre/amqp", "sobre/http", "sobre/stages", "sobre/values", "sobre/codecs/amqp"]
        .map((path, index) => `import * as part${index} from "${path}";\nvoid part${index};\n`)
        .join(""),
      "tsconfig.web.json": JSON.stringify({
        compilerOptions: {
          module: "nodenext",
          target: "es2023",
          lib: ["es2023", "esnext.disposable", "dom"],
          types: [],
          strict: true,
          skipLibCheck: false,
          noEmit: true,
        },
        files: ["web.ts"],
      }),
    },
  },
];

const work = mkdtempSync(join(tmpdir(), "sobre-consumers-"));
try {
  run(root, "npm", "run", "build");
  run(root, "npm", "pack", "./package", "--silent", "--pack-destination", work);
  const tarball = readdirSync(work).find((file) => file.endsWith(".tgz"));
  if (tarball === undefined) throw new Error("npm pack left no tarball.");
  for (const project of projects) use(project, join(work, tarball));
  console.log(`${projects.length} projects use the package: ${projects.map(({ name }) => name).join(", ")}`);
} finally {
  rmSync(work, { recursive: true, force: true });
}

function use(project: Project, tarball: string): void {
  const folder = join(work, project.name);
  mkdirSync(folder);
  const { name, type, devDependencies = {} } = project;
  const manifest = {
    name: `sobre-${name}`,
    private: true,
    type,
    dependencies: { sobre: `file:${tarball}` },
    devDependencies,
  };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  for (const [file, text] of Object.entries(project.files ?? {})) writeFileSync(join(folder, file), text);
  // A function, since "$" means something in a replacement text.
  writeFileSync(
    join(folder, project.source),
    program.replace("$IMPORTS", () => project.imports),
  );
  run(folder, "npm", "install", "--no-audit", "--no-fund", "--loglevel=error");
  for (const [tool = "", ...args] of project.before ?? [])
    run(folder, join(folder, "node_modules/.bin", tool), ...args);
  run(folder, process.execPath, "main.js");
  run(folder, join(folder, "node_modules/.bin/sobre"), "--version");
  console.log(`${name}: installed, ${project.before === undefined ? "" : "compiled, "}run`);
}

/** Runs a program with this very node first on the path; its output is shown when it fails. */
function run(folder: string, file: string, ...args: readonly string[]): void {
  const path = `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`;
  try {
    execFileSync(file, args, { cwd: folder, stdio: "pipe", env: { ...process.env, PATH: path } });
  } catch (error) {
    if (error instanceof Error && "stdout" in error && "stderr" in error) {
      console.error(`${file} ${args.join(" ")} in ${folder}:\n${String(error.stdout)}${String(error.stderr)}`);
    }
    throw error;
  }
}

function installed(name: string): string {
  const version = lock.packages[`node_modules/${name}`]?.version;
  if (version === undefined) throw new Error(`package-lock.json has no ${name}.`);
  return version;
}
