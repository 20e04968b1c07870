import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { beforeAll, describe, expect, it } from "vitest";
import type { Engine, EntitySetup } from "../../src/core/engine/index.ts";
import { selfSignedCertificate, startServer } from "../../src/serve/server/index.ts";

/** The entities of a scenario: a queue with these settings, or a topic with these subscriptions. */
interface Entities extends Readonly<Record<string, unknown>> {
  readonly topic?: readonly string[];
}

/**
 * A program that tries an official client. With `--list` it prints its scenarios and their entities as a JSON object;
 * with the connection string and the path of the server's certificate, a line of JSON for each scenario that has ended: its
 * `name`, and the `error` if it failed.
 */
export interface OfficialPeer {
  readonly client: string;
  readonly command: readonly [program: string, ...args: readonly string[]];
  /** The port that the client insists on; its connection string has no port, nor anything else of an emulator's. */
  readonly fixedPort?: number;
  /** Opens an engine with these entities, which is closed after the scenarios. Default: the memory engine. */
  readonly open?: (entities: EntitySetup) => Promise<Engine>;
  /** The number of scenarios that the program must have. Default: 40. */
  readonly leastScenarios?: number;
  /** The errors that the client itself makes in some scenarios, whatever the broker. */
  readonly departures?: Readonly<Record<string, RegExp>>;
}

/** Declares a test for each scenario; one process runs them all, since to start it and its client takes a second. */
export function testOfficialClient({
  client,
  command: [program, ...args],
  fixedPort,
  open,
  leastScenarios = 40,
  departures = {},
}: OfficialPeer): void {
  const scenarios: readonly (readonly [string, Entities | null])[] = Object.entries(
    JSON.parse(execFileSync(program, [...args, "--list"], { encoding: "utf8" })),
  );
  /** The error of each scenario that has ended. */
  const ended = new Map<string, string | undefined>();

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "sobre-peer-"));
    const tls = selfSignedCertificate();
    const certificate = join(folder, "certificate.pem");
    writeFileSync(certificate, tls.cert);
    const entities = entitiesOf(scenarios);
    await using engine = await open?.(entities);
    const served = engine === undefined ? entities : { engine };
    await using server = await startServer({ tls, port: fixedPort ?? 0, ...served });
    const { connectionString } = server;
    const withoutPort = connectionString.replace(/:\d+;/, ";").replace(/;UseDevelopmentEmulator=true.*/, "");
    const given = fixedPort === undefined ? connectionString : withoutPort;
    const address = fixedPort === undefined ? {} : { SERVER_ADDRESS: `sb://localhost:${fixedPort}` };
    const child = spawn(program, [...args, given, certificate], {
      stdio: ["ignore", "pipe", fixedPort === undefined ? "inherit" : "ignore"],
      env: { ...process.env, SSL_CERT_FILE: certificate, REQUESTS_CA_BUNDLE: certificate, ...address },
    });
    for await (const line of createInterface({ input: child.stdout })) {
      const { name, error }: { readonly name: string; readonly error?: string } = JSON.parse(line);
      ended.set(name, error);
    }
    rmSync(folder, { recursive: true });
  }, 180_000);

  describe(client, () => {
    it(`has at least ${leastScenarios} scenarios`, () => {
      expect(scenarios.length).toBeGreaterThanOrEqual(leastScenarios);
    });

    it.each(scenarios.map(([name]) => name))("works as with the service: %s", (name) => {
      expect([...ended.keys()]).toContain(name);
      const departure = departures[name];
      if (departure === undefined) expect(ended.get(name)).toBeUndefined();
      else expect(ended.get(name)).toMatch(departure);
    });
  });
}

function entitiesOf(scenarios: readonly (readonly [string, Entities | null])[]): EntitySetup {
  const queues: Record<string, object> = {};
  const topics: Record<string, { readonly subscriptions: readonly string[] }> = {};
  for (const [name, entities] of scenarios) {
    const { topic, ...settings } = entities ?? {};
    if (topic === undefined) queues[name] = settings;
    else topics[name] = { subscriptions: topic };
  }
  return { queues, topics };
}
