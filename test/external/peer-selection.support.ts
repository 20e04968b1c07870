import { CompilationError } from "./installed.support.ts";
import type { PeerName, Probe } from "./peer-probes.support.ts";
import type { Peer, PeerShare } from "./peers.support.ts";

/** The choice of tests by the command line. */
export interface PeerChoice {
  readonly peers: readonly Peer[];
  readonly probes: Readonly<Record<PeerName, Probe>>;
  /** Parts of names of test files; none are all files. */
  readonly names: readonly string[];
  /** The tests of one share of CI's time, or those without one. Default: all tests. */
  readonly share?: PeerShare | "others" | undefined;
}

/** A peer that this machine cannot have. */
interface LeftOutPeer {
  readonly peer: Peer;
  readonly reason: string;
}

/** The peers that tests need, and what of them this machine has. */
export interface PeerSelection {
  readonly wanted: readonly Peer[];
  readonly leftOut: readonly LeftOutPeer[];
  /** The test files of the share that can run; `undefined` are all files that are not excluded. */
  readonly files: readonly string[] | undefined;
  /** The test files that cannot run, or belong to another share. */
  readonly excluded: readonly string[];
  /** The peers whose cases other test files leave out. */
  readonly missing: readonly PeerName[];
}

/** All test files of a peer. */
const filesOfPeer = ({ tests = [], cases = [] }: Peer): readonly string[] => [...tests, ...cases];

/**
 * Looks for the peers of the chosen tests one by one, all at once, and installs those that are there.
 *
 * @throws CompilationError when a program of this repository does not compile.
 */
export async function selectPeers({ peers, probes, names, share }: PeerChoice): Promise<PeerSelection> {
  const wanted = peers
    .filter((peer) => names.length === 0 || filesOfPeer(peer).some((file) => names.some((name) => file.includes(name))))
    .filter((peer) => share === undefined || share === (peer.share ?? "others"));
  const asked = [...new Set(wanted.flatMap(({ needs }) => needs))];
  const answers = await Promise.all(asked.map(async (name) => [name, await refusalOf(probes[name].find)] as const));
  const lacks = new Map(answers);
  const leftOut: LeftOutPeer[] = [];
  for (const peer of wanted) {
    const found = peer.needs.find((name) => lacks.get(name) !== undefined);
    const reason = found === undefined ? await refusalOf(peer.install) : lacks.get(found);
    if (reason !== undefined) leftOut.push({ peer, reason });
  }
  const lost = leftOut.flatMap(({ peer: { tests = [] } }) => tests);
  const ofOthers = share === "others" ? peers.filter((peer) => peer.share !== undefined).flatMap(filesOfPeer) : [];
  const ofShare = [...new Set(wanted.flatMap(filesOfPeer))].filter((file) => !lost.includes(file));
  return {
    wanted,
    leftOut,
    files: share === undefined || share === "others" ? undefined : ofShare,
    excluded: [...new Set([...ofOthers, ...lost])],
    missing: leftOut.flatMap(({ peer: { cases, needs } }) => (cases === undefined ? [] : needs.slice(0, 1))),
  };
}

/** The reason why something cannot be had, in a line. */
async function refusalOf(get: (() => Promise<unknown>) | undefined): Promise<string | undefined> {
  try {
    await get?.();
    return undefined;
  } catch (error) {
    if (error instanceof CompilationError) throw error;
    const lines = (error instanceof Error ? error.message : String(error)).trim().split("\n");
    return lines.at(-1)?.trim() ?? "";
  }
}

/**
 * The names of REQUIRE_PEERS, of which none may be left out.
 *
 * @throws Error when it has a name that is not a peer's.
 */
export function requiredPeers(
  text: string | undefined,
  known: Readonly<Partial<Record<string, unknown>>>,
): readonly string[] {
  const names = (text ?? "").split(/[\s,]+/).filter(Boolean);
  const unknown = names.filter((name) => name !== "all" && !Object.hasOwn(known, name));
  if (unknown.length === 0) return names;
  const list = Object.keys(known).join(", ");
  throw new Error(`REQUIRE_PEERS has ${unknown.join(", ")}. Expected "all", or names among: ${list}.`);
}

/** Whether REQUIRE_PEERS makes a failure of a peer that is left out. */
export function isRequired({ needs }: Peer, required: readonly string[]): boolean {
  return required.includes("all") || needs.some((name) => required.includes(name));
}
