import { Load } from "./load.ts";
import { type ServerProcess, startServerProcess } from "./server-process.ts";

/** A server in a process of its own, with the load on it. */
export interface Peer extends Omit<ServerProcess, "port" | "connectionString"> {
  readonly load: Load;
}

/** Starts a server as {@link startServerProcess} does, and connects a load: ours in the official shape, others in the compact one, which costs them less. */
export async function startPeer(name: string, ...args: readonly string[]): Promise<Peer & ServerProcess> {
  const server = await startServerProcess(name, ...args);
  return { ...server, load: new Load(server.port, name === "sobre" ? "official" : "compact") };
}
