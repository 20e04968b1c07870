import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RuleInit } from "../../src/core/engine/index.ts";
import { selfSignedCertificate, type Server, startServer } from "../../src/serve/server/index.ts";
import { readByOurs, writeByOurs } from "./crosswise-ours.support.ts";
import { comparable, type CrosswiseClient, type ValueCase, valueCases } from "./crosswise.support.ts";
import { shown, unreadable, unwritten, written } from "./crosswise-losses.support.ts";
import { officialClients, programs } from "./official-programs.support.ts";

const run = promisify(execFile);

/** A line that a writer or a reader prints for a message. */
type Line = ValueCase & { readonly cannot?: string };

/** The clients of this machine; ours reads with the deserializer chain. */
const clients: readonly CrosswiseClient[] = [...officialClients, "ours"];

/** Each client has a topic, and each reader a subscription of it: without what would end its receiver. */
const topics = Object.fromEntries(
  clients.map((writer) => [
    writer,
    { subscriptions: Object.fromEntries(clients.map((reader) => [reader, { rules: rulesOf(reader) }])) },
  ]),
);

function rulesOf(reader: CrosswiseClient): readonly (RuleInit & { readonly name: string })[] {
  const names = valueCases.map(({ name }) => name).filter((name) => unreadable[reader].test(name));
  if (names.length === 0) return [{ name: "all", filter: { kind: "true" } }];
  const list = names.map((name) => `'${name}'`).join(", ");
  return [{ name: "readable", filter: { kind: "sql", expression: `sys.Label NOT IN (${list})` } }];
}

describe("a value of every AMQP type, written by each client and read by each", () => {
  const folder = mkdtempSync(join(tmpdir(), "sobre-crosswise-"));
  const certificate = join(folder, "certificate.pem");
  let server: Server;
  const sent = new Map<CrosswiseClient, readonly Line[]>();
  const read = new Map<string, readonly Line[]>();

  beforeAll(async () => {
    const tls = selfSignedCertificate();
    writeFileSync(certificate, tls.cert);
    writeFileSync(join(folder, "cases.json"), JSON.stringify(valueCases));
    server = await startServer({ tls, topics });
    await Promise.all(
      clients.map(async (writer) => {
        const lines =
          writer === "ours"
            ? await writeByOurs(server.connectionString, writer)
            : await told(writer, ["--write", writer, join(folder, "cases.json")]);
        sent.set(writer, lines);
      }),
    );
    await Promise.all(
      clients.map(async (reader) => {
        for (const writer of clients) {
          const { activeMessageCount } = await server.engine.admin.getSubscriptionRuntimeProperties(writer, reader);
          const lines =
            reader === "ours"
              ? await readByOurs(server.connectionString, writer, reader)
              : await told(reader, ["--read", writer, reader, `${activeMessageCount}`]);
          read.set(`${writer} to ${reader}`, lines);
        }
      }),
    );
  }, 300_000);

  afterAll(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });

  async function told(
    client: Exclude<CrosswiseClient, "ours">,
    [command = "", ...rest]: readonly string[],
  ): Promise<readonly Line[]> {
    const [program, ...args] = programs[client]();
    const { stdout } = await run(program, [...args, command, server.connectionString, certificate, ...rest], {
      env: { ...process.env, SSL_CERT_FILE: certificate },
      timeout: 240_000,
    });
    return stdout
      .split("\n")
      .filter(Boolean)
      .map((line): Line => JSON.parse(line));
  }

  it.each(clients)("%s writes what its types can express", (writer) => {
    const lines = sent.get(writer) ?? [];
    const refused = lines.filter(({ cannot }) => cannot !== undefined).map(({ name }) => name);

    expect(lines.map(({ name }) => name)).toEqual(valueCases.map(({ name }) => name));
    expect(refused).toEqual(valueCases.map(({ name }) => name).filter((name) => unwritten[writer].test(name)));
  });

  it.each(clients.flatMap((reader) => clients.map((writer) => [reader, writer] as const)))(
    "%s reads what %s writes",
    (reader, writer) => {
      const lines = read.get(`${writer} to ${reader}`) ?? [];

      const wanted = valueCases
        .filter(({ name }) => !unwritten[writer].test(name) && !unreadable[reader].test(name))
        .map((one) => shown(reader, writer, written(writer, one)));
      expect(lines.map(comparable)).toEqual(wanted.map(comparable));
    },
  );
});
