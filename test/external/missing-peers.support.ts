import type { TestOptions } from "vitest";
import { leftOutWithout } from "../left-out.support.ts";
import type { PeerName } from "./peer-probes.support.ts";

const missing = new Set((process.env["MISSING_PEERS"] ?? "").split(" "));

/** Whether `npm run test:external` has found a peer here; a run of vitest alone takes all of them for found. */
export function hasPeer(name: PeerName): boolean {
  return !missing.has(name);
}

/** The options of tests that need a peer which other tests of their file do without. */
export function needsPeer(name: PeerName): TestOptions {
  return leftOutWithout(`peer: ${name}`, hasPeer(name));
}
