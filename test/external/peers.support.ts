import {
  buildDotnetPeer,
  buildGoPeer,
  buildJavaGoldenReader,
  buildJavaPeer,
  installNodePackages,
  installPostgres,
  installProtonPackages,
  installPythonPackages,
  installUamqpPackages,
} from "./installed.support.ts";
import type { PeerName } from "./peer-probes.support.ts";

/** A program outside this repository's own packages that some of these tests talk to. */
export interface Peer {
  readonly name: string;
  /** Everything that it needs of the machine; the first is its language, or whatever else it is chosen by. */
  readonly needs: readonly PeerName[];
  /** The test files that cannot run without it. */
  readonly tests?: readonly string[];
  /** The test files that leave out its cases without it, and run all others. */
  readonly cases?: readonly string[];
  /** Rejects when the machine cannot have it. */
  readonly install?: () => Promise<unknown>;
  /** The language or runtime whose own code takes part in `tests`: a run counts which of them it has tried. */
  readonly runtime?: "JavaScript" | "Python" | "Java" | "Go" | ".NET" | "Mono";
  /** The share of CI's time that its tests have: that of official clients in other languages, of .NET, of the browser, of PostgreSQL, or of RabbitMQ. */
  readonly share?: PeerShare;
}

export const peerShares = ["official-clients", "dotnet", "browser", "postgres", "rabbitmq"] as const;
export type PeerShare = (typeof peerShares)[number];

/** The tests that a peer's absence leaves out, in words. */
export function lossOf({ tests = [], cases = [] }: Peer): string {
  return [...tests, ...(cases.length === 0 ? [] : [`cases of ${cases.join(", ")}`])].join(", ");
}

/** Tests of all official clients, each with cases of its own. */
const ofAllClients: readonly string[] = [
  "azure-crosswise.test.ts",
  "azure-fast-paths.test.ts",
  "azure-reconnection.test.ts",
  "page-programs.test.ts",
];

/** Every peer outside this repository's own packages, and the official client among these. */
export const peers: readonly Peer[] = [
  {
    name: "@azure/service-bus, the official JavaScript client",
    needs: [],
    tests: ["official-client.test.ts"],
    runtime: "JavaScript",
  },
  { name: "curl", needs: ["curl"], tests: ["curl.test.ts"] },
  { name: "jq", needs: ["jq"], tests: ["migrate-steps.test.ts"] },
  { name: "The serializers of .NET on Mono", needs: ["mono"], tests: ["dotnet-contracts.test.ts"], runtime: "Mono" },
  {
    name: "The official clients of S3 and Azure Blob Storage",
    needs: ["npm"],
    tests: ["object-stores.test.ts"],
    install: installNodePackages,
  },
  {
    name: "Chromium",
    needs: ["chromium", "npm"],
    tests: [
      "inspector-features.test.ts",
      "inspector-engines.test.ts",
      "inspector-page.test.ts",
      "migration-report.test.ts",
    ],
    install: installNodePackages,
    share: "browser",
  },
  {
    name: "PostgreSQL 18, from npm, under the page",
    needs: ["npm"],
    tests: ["inspector-engines.test.ts"],
    install: installPostgres,
    share: "browser",
  },
  {
    name: "PostgreSQL 18, from npm",
    needs: ["npm"],
    tests: [
      "postgres-18.test.ts",
      "postgres-clients.test.ts",
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
    needs: ["go"],
    cases: ["postgres-clients.test.ts"],
    install: buildGoPeer,
    share: "postgres",
  },
  {
    name: "PgBouncer",
    needs: ["pgbouncer", "npm"],
    tests: ["postgres-pooler.test.ts"],
    install: installPostgres,
    share: "postgres",
  },
  {
    name: "RabbitMQ",
    needs: ["rabbitmq"],
    tests: [
      "rabbitmq-conformance.test.ts",
      "rabbitmq-foreign.test.ts",
      "rabbitmq-page.test.ts",
      "rabbitmq-recovery.test.ts",
      "rabbitmq-times.test.ts",
      "rabbitmq-trouble.test.ts",
    ],
    share: "rabbitmq",
  },
  { name: "PostgreSQL 15", needs: ["postgres-15"], tests: ["postgres-15.test.ts"], share: "postgres" },
  {
    name: "PgBouncer before PostgreSQL 15",
    needs: ["pgbouncer", "postgres-15"],
    tests: ["postgres-outages.test.ts"],
    share: "postgres",
  },
  {
    name: "qpid-proton for Python",
    needs: ["python", "cc"],
    tests: ["proton.test.ts", "proton-oracle.test.ts"],
    install: installProtonPackages,
    runtime: "Python",
  },
  {
    name: "azure-servicebus, the official Python client",
    needs: ["python"],
    tests: ["azure-python.test.ts"],
    cases: ofAllClients,
    install: installPythonPackages,
    runtime: "Python",
    share: "official-clients",
  },
  {
    name: "azure-servicebus 7.8.2, on the uAMQP library",
    needs: ["python", "port-5671"],
    tests: ["azure-python-uamqp.test.ts"],
    install: installUamqpPackages,
    runtime: "Python",
    share: "official-clients",
  },
  {
    name: "msgpack and protobuf for Python",
    needs: ["python"],
    tests: ["golden-python.test.ts"],
    install: installPythonPackages,
    runtime: "Python",
  },
  {
    name: "jackson-core, msgpack-core and protobuf-java",
    needs: ["java"],
    tests: ["golden-java.test.ts"],
    install: buildJavaGoldenReader,
    runtime: "Java",
  },
  {
    name: "azservicebus, the official Go client",
    needs: ["go"],
    tests: ["azure-go.test.ts"],
    cases: ofAllClients,
    install: buildGoPeer,
    runtime: "Go",
    share: "official-clients",
  },
  {
    name: "Azure.Messaging.ServiceBus, the official .NET client",
    needs: ["dotnet"],
    tests: ["azure-dotnet.test.ts"],
    install: buildDotnetPeer,
    runtime: ".NET",
    share: "dotnet",
  },
  {
    name: "Azure.Messaging.ServiceBus over WebSockets",
    needs: ["dotnet", "port-443"],
    tests: ["azure-dotnet-websocket.test.ts"],
    install: buildDotnetPeer,
    runtime: ".NET",
    share: "dotnet",
  },
  {
    name: "Azure.Messaging.ServiceBus among the official clients",
    needs: ["dotnet"],
    cases: ofAllClients,
    install: buildDotnetPeer,
    share: "official-clients",
  },
  {
    name: "azure-messaging-servicebus, the official Java client",
    needs: ["java"],
    tests: ["azure-java.test.ts"],
    cases: ofAllClients,
    install: buildJavaPeer,
    runtime: "Java",
    share: "official-clients",
  },
  {
    name: "The administration client of Java",
    needs: ["java", "port-443"],
    tests: ["azure-java-administration.test.ts"],
    install: buildJavaPeer,
    runtime: "Java",
    share: "official-clients",
  },
];
