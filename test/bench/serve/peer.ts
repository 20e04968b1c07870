import { Load } from "./load.ts";
import { type ServerProcess, startServerProcess } from "./server-process.ts";

/** A server in its own process, with the load on it. */
export interface Peer extends Omit<ServerProcess, "port" | "inspectedPort" | "connectionString"> {
  readonly load: Load;
  /** The frames of its load, in words. */
  readonly frames: string;
}

/** Starts a server as {@link startServerProcess} does, and connects a load in the official shape; rhea, which stalls on that, gets the compact one. */
export async function startPeer(name: string, ...args: readonly string[]): Promise<Peer & ServerProcess> {
  const server = await startServerProcess(name, ...args);
  const frames =
    name === "sobre" ? "official frames" : "compact frames, as it confirms no settlement of the official shape";
  return { ...server, frames, load: new Load(server.port, name === "sobre" ? "official" : "compact") };
}
