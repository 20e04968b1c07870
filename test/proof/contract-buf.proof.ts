import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { checkCompatibility } from "../../src/contract/index.ts";
import { pairsOf } from "../contract/suites.support.ts";
import { ofVectors } from "../vectors.support.ts";
import { buf, installNodePackages } from "../external/installed.support.ts";

/** The policies and the rules of Buf that say the same. */
const policies = [
  { policy: "wire", rules: "WIRE" },
  { policy: "json", rules: "WIRE_JSON" },
] as const;

/** How many of the folders must have Buf's verdict. Of our own, it takes int32 to int64 for a break of JSON, where numbers become text. */
const wanted = ofVectors(31, 12);

/**
 * Holds the verdicts on Buf's own test folders against Buf's, by its rules for the wire and for JSON.
 *
 * @throws Error when too few agree, or Buf says neither.
 */
export async function prove(): Promise<string> {
  await installNodePackages();
  const pairs = pairsOf(ofVectors("buf-breaking", "own-proto"));
  const told: string[] = [];
  for (const { policy, rules } of policies) {
    const others: string[] = [];
    for (const { id, old: older, new: newer } of pairs) {
      const { verdict } = await checkCompatibility({ format: "protobuf", older, newer, policy });
      if ((verdict === "breaking") !== breaks(filesOf(older), filesOf(newer), rules)) others.push(`${id} (${verdict})`);
    }
    const agreed = pairs.length - others.length;
    if (agreed < wanted)
      throw new Error(`${rules}: Buf agrees on ${agreed} of ${pairs.length}, not on ${others.join(", ")}`);
    told.push(`${rules} ${agreed} of ${pairs.length}${others.length === 0 ? "" : `, not ${others.join(", ")}`}`);
  }
  return told.join("; ");
}

/** Buf's verdict on two folders; 0 and 100 are its verdicts, anything else means that Buf failed. */
function breaks(older: Files, newer: Files, rules: string): boolean {
  const folder = mkdtempSync(join(tmpdir(), "buf-"));
  try {
    for (const [side, files] of [["old", older] as const, ["new", newer] as const])
      for (const [name, text] of Object.entries(files)) {
        const file = join(folder, side, name);
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, text);
      }
    const config = JSON.stringify({ version: "v2", breaking: { use: [rules] } });
    const args = ["breaking", join(folder, "new"), "--against", join(folder, "old")];
    const ran = spawnSync(buf, [...args, "--config", config, "--against-config", config], { encoding: "utf8" });
    if (ran.status === 0 || ran.status === 100) return ran.status === 100;
    throw new Error(`Buf cannot compare: ${ran.stderr}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

type Files = Readonly<Record<string, string>>;

function filesOf(value: unknown): Files {
  const files = typeof value === "object" && value !== null ? Object.entries(value) : [];
  return Object.fromEntries(files.map(([name, text]): readonly [string, string] => [name, String(text)]));
}
