import { join } from "node:path";
import type { CrosswiseClient } from "./crosswise.support.ts";
import { dotnetPeer, goPeer, javaPeer, python } from "./installed.support.ts";
import { hasPeer } from "./missing-peers.support.ts";
import type { PeerName } from "./peer-probes.support.ts";

/** A client that its company publishes. */
export type OfficialClient = Exclude<CrosswiseClient, "ours">;

/** The programs of the official clients; they write and read as `crosswise.support.ts` says. */
export const programs: Readonly<Record<OfficialClient, () => readonly [string, ...string[]]>> = {
  JavaScript: () => [process.execPath, join(import.meta.dirname, "azure-service-bus/main.ts")],
  Python: () => [python, join(import.meta.dirname, "azure_servicebus_crosswise.py")],
  Java: () => ["java", ...javaPeer()],
  Go: () => [goPeer],
  DotNet: () => ["dotnet", dotnetPeer],
};

/** The peer that each client needs; JavaScript's is installed with this repository. */
export const peerOf: Readonly<Record<OfficialClient, PeerName | undefined>> = {
  JavaScript: undefined,
  Python: "python",
  Java: "java",
  Go: "go",
  DotNet: "dotnet",
};

/** The clients that this machine has. */
export const officialClients: readonly OfficialClient[] = (
  ["JavaScript", "Python", "Java", "Go", "DotNet"] as const
).filter((client) => peerOf[client] === undefined || hasPeer(peerOf[client]));

/** The command that loads a queue with a client: messages of 1 KiB, half of them in batches, received and completed. */
export function loadOf(
  client: OfficialClient,
  connectionString: string,
  queue: string,
  count: number,
): readonly [program: string, args: string[]] {
  const [program, ...args] = programs[client]();
  return [program, [...args, "--load", connectionString, "", queue, `${count}`]];
}

/** The command that goes on with a client after the server has started again, once it has printed `ready`. */
export function restartOf(
  client: OfficialClient,
  connectionString: string,
): readonly [program: string, args: string[]] {
  const [program, ...args] = programs[client]();
  return [program, [...args, "--restart", connectionString, "", "q"]];
}
