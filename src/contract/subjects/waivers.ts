import { SobreError } from "../../errors/index.ts";
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
}

/** The waivers of a file. @throws SobreError `InvalidArgument` when an entry lacks something. */
export function parseWaivers(text: string): readonly Waiver[] {
  const json: unknown = JSON.parse(text);
  return (Array.isArray(json) ? json : []).map((entry: unknown, at) => {
    const member = (name: string): string => {
      const value = isObject(entry) ? entry[name] : undefined;
      if (typeof value === "string" && value !== "") return value;
      throw new SobreError("InvalidArgument", `waivers.json: entry ${at} lacks ${name}.`);
    };
    const expires = member("expires");
    if (!/^\d{4}-\d\d-\d\d$/.test(expires))
      throw new SobreError("InvalidArgument", `waivers.json: entry ${at}: expires must be a date.`);
    return {
      subject: member("subject"),
      code: member("code"),
      witness: member("witness"),
      reason: member("reason"),
      expires,
    };
  });
}

/** Checked pairs with what waivers take away, and what is wrong with the waivers themselves. */
export interface Waived {
  readonly pairs: readonly CheckedPair[];
  readonly used: readonly Waiver[];
  readonly problems: readonly string[];
}

/** Takes waived findings away; a waiver that has expired or whose witness no longer comes up is a problem. */
export function applyWaivers(pairs: readonly CheckedPair[], waivers: readonly Waiver[], today: string): Waived {
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
    const suppositions = [...pair.result.suppositions, "findings were waived"];
    const verdict = findings.length > 0 ? pair.result.verdict : "unproven";
    return {
      ...pair,
      isWaived: findings.length === 0,
      result: { ...pair.result, verdict, findings, suppositions, tried: ["every break that was found is waived"] },
    };
  });
  for (const waiver of live)
    if (!used.has(waiver))
      problems.push(
        `The waiver of ${waiver.code} in ${waiver.subject} is stale: its witness no longer comes up; remove it.`,
      );
  return { pairs: left, used: Array.from(used), problems };
}
