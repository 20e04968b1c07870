import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { selfSigned, startServer } from "../../src/server/index.ts";
import { python } from "./installed.support.ts";

const script = fileURLToPath(new URL("azure_servicebus_peer.py", import.meta.url));

/** The entities of a scenario: a queue with these settings, or a topic with these subscriptions. */
interface Entities extends Readonly<Record<string, unknown>> {
  readonly topic?: readonly string[];
}

const scenarios: readonly (readonly [string, Entities])[] = Object.entries(
  JSON.parse(execFileSync(python, [script, "--list"], { encoding: "utf8" })),
);
/** The error of each scenario that has ended. */
const ended = new Map<string, string | undefined>();

// One process for all: starting Python and its client takes a second.
beforeAll(async () => {
  const named = scenarios.map(([name, { topic, ...settings }]) => ({ name, topic, settings }));
  const folder = mkdtempSync(join(tmpdir(), "sobre-python-"));
  const tls = selfSigned();
  const certificate = join(folder, "certificate.pem");
  writeFileSync(certificate, tls.cert);
  await using server = await startServer({
    tls,
    queues: Object.fromEntries(named.filter(({ topic }) => !topic).map(({ name, settings }) => [name, settings])),
    topics: Object.fromEntries(named.flatMap(({ name, topic }) => (topic ? [[name, { subscriptions: topic }]] : []))),
  });
  const child = spawn(python, [script, server.connectionString, certificate], { stdio: ["ignore", "pipe", "inherit"] });
  for await (const line of createInterface({ input: child.stdout })) {
    const { name, error }: { readonly name: string; readonly error?: string } = JSON.parse(line);
    ended.set(name, error);
  }
  rmSync(folder, { recursive: true });
}, 180_000);

describe("the official Python client, azure-servicebus", () => {
  it("has at least 40 scenarios", () => {
    expect(scenarios.length).toBeGreaterThanOrEqual(40);
  });

  it.each(scenarios.map(([name]) => name))("works as with the service: %s", (name) => {
    expect([...ended.keys()]).toContain(name);
    expect(ended.get(name)).toBeUndefined();
  });
});
