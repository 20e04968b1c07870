import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { promisify } from "node:util";
import {
  buildGoPeer,
  buildJavaGoldenReader,
  buildJavaPeer,
  installNodePackages,
  installPostgres,
  installPythonPackages,
  installUamqpPackages,
} from "./installed.support.ts";
import { pgbouncer } from "./pgbouncer.support.ts";

/** A program of another language that some of these tests talk to. */
export interface Peer {
  readonly name: string;
  /** Requirements of the machine, in words for the person who installs them. */
  readonly needs: string;
  /** The test files that cannot run without it. */
  readonly tests: readonly string[];
  /** Rejects when the machine cannot have it. */
  readonly install: () => Promise<unknown>;
  /** The share of CI's time that its tests have: that of official clients in other languages, of the browser, or of PostgreSQL. */
  readonly share?: "official-clients" | "browser" | "postgres";
}

/** Tests that need all official clients. */
const ofAllClients: readonly string[] = [
  "azure-crosswise.test.ts",
  "azure-fast-paths.test.ts",
  "azure-reconnection.test.ts",
  "page-programs.test.ts",
];

/** Rejects, with a sentence, unless a port that a client fixes may be taken here. */
async function portIsFree(port: number): Promise<void> {
  if (process.env["CI"] !== "true") throw new Error(`Port ${port} is taken in .ci/run alone.`);
  const server = createServer();
  server.listen(port, "localhost");
  try {
    await once(server, "listening");
  } catch (error) {
    throw new Error(`Port ${port} cannot be taken: another program has it, or this user may not.`, { cause: error });
  }
  server.close();
  await once(server, "close");
}

/** Every peer outside this repository's own packages. */
export const peers: readonly Peer[] = [
  {
    name: "curl",
    needs: "curl on the path",
    tests: ["curl.test.ts"],
    install: () => promisify(execFile)("curl", ["--version"]),
  },
  {
    name: "jq",
    needs: "jq on the path",
    tests: ["migrate-steps.test.ts"],
    install: () => promisify(execFile)("jq", ["--version"]),
  },
  {
    name: "Mono",
    needs: "mcs and mono on the path, e.g. mono-mcs and libmono-system-runtime-serialization4.0-cil of Debian",
    tests: ["dotnet-contracts.test.ts"],
    install: () => Promise.all([promisify(execFile)("mcs", ["--version"]), promisify(execFile)("mono", ["--version"])]),
  },
  {
    name: "The official clients of S3 and Azure Blob Storage",
    needs: "npm's registry",
    tests: ["object-stores.test.ts"],
    install: installNodePackages,
  },
  {
    name: "Chromium",
    needs: "chromium on the path",
    tests: [
      "inspector-features.test.ts",
      "inspector-engines.test.ts",
      "inspector-page.test.ts",
      "migration-report.test.ts",
    ],
    install: async () => {
      await promisify(execFile)("chromium", ["--version"]);
      await installNodePackages();
    },
    share: "browser",
  },
  {
    name: "PostgreSQL 18, from npm, under the page",
    needs: "the registry of npm, and Linux or macOS",
    tests: ["inspector-engines.test.ts"],
    install: installPostgres,
    share: "browser",
  },
  {
    name: "PostgreSQL 18, from npm",
    needs: "the registry of npm, and Linux or macOS",
    tests: [
      "postgres-18.test.ts",
      "postgres-clock.test.ts",
      "postgres-crashes.test.ts",
      "postgres-inbox.test.ts",
      "postgres-arrivals.test.ts",
      "postgres-nodes.test.ts",
      "postgres-page.test.ts",
      "postgres-schema.test.ts",
      "postgres-serve.test.ts",
      "postgres-transactions.test.ts",
      "postgres-trouble.test.ts",
    ],
    install: installPostgres,
    share: "postgres",
  },
  {
    name: "azservicebus on PostgreSQL",
    needs: "go 1.25 on the path, and the registry of npm",
    tests: ["postgres-go.test.ts"],
    install: async () => {
      await buildGoPeer();
      await installPostgres();
    },
    share: "postgres",
  },
  {
    name: "PgBouncer",
    needs: "the package pgbouncer of Debian, and the registry of npm",
    tests: ["postgres-pooler.test.ts"],
    install: async () => {
      await promisify(execFile)(pgbouncer, ["--version"]);
      await installPostgres();
    },
    share: "postgres",
  },
  {
    name: "PostgreSQL 15",
    needs: "the package postgresql-15 of Debian",
    tests: ["postgres-15.test.ts"],
    install: () => promisify(execFile)("/usr/lib/postgresql/15/bin/postgres", ["--version"]),
    share: "postgres",
  },
  {
    name: "qpid-proton for Python",
    needs: "python3 with venv, its headers and a C compiler on the path",
    tests: ["proton.test.ts", "proton-oracle.test.ts"],
    install: installPythonPackages,
  },
  {
    name: "azure-servicebus, the official Python client,",
    needs: "python3 with venv, its headers and a C compiler on the path",
    tests: ["azure-python.test.ts", ...ofAllClients],
    install: installPythonPackages,
    share: "official-clients",
  },
  {
    name: "azure-servicebus 7.8.2, on the uAMQP library,",
    needs: "python3 with venv, port 5671 of this machine, and CI=true, as .ci/run has it",
    tests: ["azure-python-uamqp.test.ts"],
    install: async () => {
      await portIsFree(5671);
      await installUamqpPackages();
    },
    share: "official-clients",
  },
  {
    name: "msgpack and protobuf for Python",
    needs: "python3 with venv, its headers and a C compiler on the path",
    tests: ["golden-python.test.ts"],
    install: installPythonPackages,
  },
  {
    name: "jackson-core, msgpack-core and protobuf-java",
    needs: "java 17 and mvn on the path",
    tests: ["golden-java.test.ts"],
    install: buildJavaGoldenReader,
  },
  {
    name: "azservicebus, the official Go client,",
    needs: "go 1.25 on the path",
    tests: ["azure-go.test.ts", ...ofAllClients],
    install: buildGoPeer,
    share: "official-clients",
  },
  {
    name: "azure-messaging-servicebus, the official Java client,",
    needs: "java 17 and mvn on the path",
    tests: ["azure-java.test.ts", ...ofAllClients],
    install: buildJavaPeer,
    share: "official-clients",
  },
  {
    name: "the administration client of Java",
    needs: "port 443 of this machine, and CI=true, as .ci/run has it",
    tests: ["azure-java-administration.test.ts"],
    install: async () => {
      await buildJavaPeer();
      await portIsFree(443);
    },
    share: "official-clients",
  },
];
