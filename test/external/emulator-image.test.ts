import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath, pathToFileURL } from "node:url";
import { ServiceBusClient } from "@azure/service-bus";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

// The image's files under a temporary root, and the image's command on them: no container is needed for that.

const root = fileURLToPath(new URL("../..", import.meta.url));
const dockerfile = readFileSync(join(root, "docker/Dockerfile"), "utf8");

/** The list that an instruction has in its JSON form. */
function listOf(instruction: string): readonly string[] {
  const [, list = ""] = new RegExp(`^${instruction} (\\[.*\\])$`, "m").exec(dockerfile) ?? [];
  const parsed: unknown = JSON.parse(list);
  return Array.isArray(parsed) ? parsed.map(String) : [];
}

let image = "";

/** An absolute path of the image under the temporary root; other arguments stay. */
const inImage = (argument: string): string => (argument.startsWith("/") ? join(image, argument) : argument);

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}

beforeAll(() => {
  image = mkdtempSync(join(tmpdir(), "sobre-image-"));
  const [, entry = ""] = listOf("ENTRYPOINT");
  mkdirSync(dirname(inImage(entry)), { recursive: true });
  // The package that is installed there has a test of its own.
  writeFileSync(inImage(entry), `import ${JSON.stringify(pathToFileURL(join(root, "src/cli/main.ts")).href)};\n`);
  for (const [, from = "", to = ""] of dockerfile.matchAll(/^COPY (docker\/\S+) (\/\S+)$/gm))
    cpSync(join(root, from), inImage(to), { recursive: true });
});
afterAll(() => rmSync(image, { recursive: true }));

interface Running {
  readonly child: ChildProcess;
  readonly port: number;
  readonly httpPort: number;
  /** Everything that it has printed when the log line of the emulator came. */
  readonly log: readonly string[];
}

/** Runs the image's command as compose files and Testcontainers do, on free ports. */
async function run(): Promise<Running> {
  const [port, httpPort] = [await freePort(), await freePort()];
  const [, ...command] = [...listOf("ENTRYPOINT"), ...listOf("CMD")].map(inImage);
  const child = spawn(process.execPath, [...command, "--port", String(port)], {
    env: {
      ...process.env,
      ACCEPT_EULA: "Y",
      SQL_SERVER: "mssql",
      MSSQL_SA_PASSWORD: "unused",
      SQL_WAIT_INTERVAL: "0",
      EMULATOR_HTTP_PORT: String(httpPort),
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const log: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    log.push(line);
    // As org.testcontainers.azure.ServiceBusEmulatorContainer waits for it.
    if (/.*Emulator Service is Successfully Up!.*/.test(line)) return { child, port, httpPort, log };
  }
  throw new Error(`The command ended: ${log.join("\n")}`);
}

describe("the image in the emulator's place", () => {
  it("serves the entities of its Config.json at the emulator's connection string, and ends with the container", async () => {
    const { child, port, httpPort, log } = await run();
    // As the modules of Testcontainers for Node and .NET wait for it.
    expect((await fetch(`http://127.0.0.1:${httpPort}/health`)).status).toBe(200);
    expect(log.filter((line) => line.includes("Successfully Up"))).toHaveLength(1);
    const client = new ServiceBusClient(
      `Endpoint=sb://localhost:${port};SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=SAS_KEY_VALUE;UseDevelopmentEmulator=true;`,
    );
    await client.createSender("queue.1").sendMessages({ body: "hello" });
    const [message] = await client.createReceiver("queue.1").receiveMessages(1);
    expect(message?.body).toBe("hello");
    await client.close();
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([0, null]);
  });

  it("answers under the names of containers, and no page of another site", async () => {
    const { child, httpPort } = await run();
    const status = async (headers: Record<string, string>): Promise<number> => {
      const { request } = await import("node:http");
      const asked = request({ host: "127.0.0.1", port: httpPort, path: "/$Resources/queues", headers }).end();
      const [response] = await once(asked, "response");
      response.resume();
      return response.statusCode;
    };
    expect(await status({ host: `servicebus-emulator:${httpPort}` })).toBe(200);
    expect(await status({ host: `172.18.0.3:${httpPort}` })).toBe(200);
    expect(await status({ host: `attacker.example:${httpPort}` })).toBe(401);
    expect(await status({ host: `localhost:${httpPort}`, origin: "https://attacker.example" })).toBe(401);
    child.kill("SIGTERM");
    await once(child, "exit");
  });

  it("is what the sample compose file runs, on the emulator's ports", () => {
    const compose = readFileSync(join(root, "docker/compose.yaml"), "utf8");
    expect(listOf("CMD").at(-1)).toBe("/ServiceBus_Emulator/ConfigFiles/Config.json");
    expect(compose).toContain(":/ServiceBus_Emulator/ConfigFiles/Config.json");
    expect(compose).toMatch(/5672:5672[\s\S]*5300:/);
    expect(dockerfile).toMatch(/^EXPOSE 5672 5300$/m);
  });
});
