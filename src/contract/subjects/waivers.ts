import { SobreError } from "../../errors/sobre-error.ts";
import { isObject } from "../json-schema/json-value.ts";
import type { CheckedPair } from "./checked-pair.ts";

/** A break that a team has accepted for a while. */
export interface Waiver {
  readonly subject: string;
  readonly code: string;
  /** Hash of the witness. */
  readonly witness: string;
  readonly reason: string;
  /** A date, `2026-12-31`; the waiver holds up to its end. */
  readonly expires: string;
  /** The value of `--against` when the break came up, e.g. `git:origin/main`. Default: none. */
  readonly against: string | undefined;
}

const names = ["subject", "code", "witness", "reason", "expires", "against"];

/** Parses `waivers.json`. @throws SobreError `InvalidArgument` when it is not a list, or an entry lacks a member. */
export function parseWaivers(text: string): readonly Waiver[] {
  return listIn(text).map((entry, at) => {
    const wrong = (what: string): SobreError => new SobreError("InvalidArgument", `waivers.json: entry ${at} ${what}.`);
    if (!isObject(entry)) throw wrong("is not an object");
    const member = (name: string): string => {
      const value = entry[name];
      if (typeof value === "string" && value !== "") return value;
      throw wrong(`lacks ${name}`);
    };
    // A misspelt member would silently change nothing.
    const other = Object.keys(entry).find((name) => !names.includes(name));
    if (other !== undefined) throw wrong(`has the unknown member \`${other}\`. Expected one of: ${names.join(", ")}`);
    const expires = member("expires");
    if (!isDate(expires)) throw wrong("needs a date in `expires`, e.g. 2026-12-31");
    return {
      subject: member("subject"),
      code: member("code"),
      witness: member("witness"),
      reason: member("reason"),
      expires,
      against: entry["against"] === undefined ? undefined : member("against"),
    };
  });
}

function listIn(text: string): readonly unknown[] {
  try {
    const json: unknown = JSON.parse(text);
    if (Array.isArray(json)) return json;
  } catch {
    // Reported below.
  }
  throw new SobreError("InvalidArgument", "waivers.json must hold a list of waivers, as JSON.");
}

function isDate(text: string): boolean {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** Checked pairs with what waivers take away, and what is wrong with the waivers themselves. */
export interface Waived {
  readonly pairs: readonly CheckedPair[];
  readonly used: readonly Waiver[];
  readonly problems: readonly string[];
}

/** When waivers are applied, and to what. */
export interface WaivingCheck {
  /** A date. */
  readonly today: string;
  /** With what the versions were compared; only waivers of the same can be stale. */
  readonly against: string | undefined;
}

/** Takes waived findings away; a waiver that has expired or whose witness no longer comes up is a problem. */
export function applyWaivers(
  pairs: readonly CheckedPair[],
  waivers: readonly Waiver[],
  { today, against }: WaivingCheck,
): Waived {
  const used = new Set<Waiver>();
  const problems = waivers
    .filter(({ expires }) => expires < today)
    .map(({ code, subject, expires }) => `The waiver of ${code} in ${subject} expired on ${expires}.`);
  const live = waivers.filter(({ expires }) => expires >= today);
  const left = pairs.map((pair): CheckedPair => {
    const findings = pair.result.findings.filter(({ code, witness }) => {
      const waiver = live.find(
        (one) => one.subject === pair.subject.name && one.code === code && one.witness === witness?.hash,
      );
      if (waiver !== undefined) used.add(waiver);
      return waiver === undefined;
    });
    if (findings.length === pair.result.findings.length) return pair;
    const assumptions = [...pair.result.assumptions, "findings were waived"];
    const verdict = findings.length > 0 ? pair.result.verdict : "unproven";
    return {
      ...pair,
      isWaived: findings.length === 0,
      result: { ...pair.result, verdict, findings, assumptions, tried: ["every break that was found is waived"] },
    };
  });
  for (const waiver of live)
    if (!used.has(waiver) && waiver.against === against)
      problems.push(
        `The waiver of ${waiver.code} in ${waiver.subject} is stale: its witness no longer comes up. Remove it.`,
      );
  return { pairs: left, used: Array.from(used), problems };
}
