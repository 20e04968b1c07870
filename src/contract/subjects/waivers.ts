import { SobreError } from "../../core/errors/sobre-error.ts";
import { parsedJson } from "../../core/values/json.ts";
import { sha256 } from "../witness.ts";
import { isObject } from "../json-schema/json-value.ts";
import type { CheckedPair } from "./checked-pair.ts";
import { wholeText } from "./subject-version.ts";
import { type SubjectFinding, subjectFinding } from "./subject-changes.ts";

/** A finding that a team has accepted for a while. */
export interface Waiver {
  readonly subject: string;
  readonly code: string;
  /** Hash of the finding; for the code `unproven`, of both schemas. */
  readonly hash: string;
  readonly reason: string;
  /** A date, `2026-12-31`; the waiver holds up to its end. */
  readonly expires: string;
  /** The value of `--against` when the finding came up, e.g. `git:origin/main`. Default: none. */
  readonly against: string | undefined;
}

/** `witness` names the hash of a finding with a witness, and `schemas` the one of both schemas of an unproven pair. */
const names = ["subject", "code", "hash", "witness", "schemas", "reason", "expires", "against"];
const hashNames = ["hash", "witness", "schemas"];

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
    // A misspelt member would silently have no effect.
    const other = Object.keys(entry).find((name) => !names.includes(name));
    if (other !== undefined) throw wrong(`has the unknown member \`${other}\`. Expected one of: ${names.join(", ")}`);
    const expires = member("expires");
    if (!isDate(expires)) throw wrong("needs a date in `expires`, e.g. 2026-12-31");
    const given = hashNames.filter((name) => entry[name] !== undefined);
    if (given.length > 1) throw wrong(`has ${given.join(" and ")}, which mean the same; keep one`);
    return {
      subject: member("subject"),
      code: member("code"),
      hash: member(given[0] ?? "hash"),
      reason: member("reason"),
      expires,
      against: entry["against"] === undefined ? undefined : member("against"),
    };
  });
}

function listIn(text: string): readonly unknown[] {
  const json = parsedJson(text);
  if (Array.isArray(json)) return json;
  throw new SobreError("InvalidArgument", "waivers.json must be a JSON array of waivers.");
}

function isDate(text: string): boolean {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** The findings of a check that no waiver covers, and the problems of the waivers themselves. */
export interface Waived {
  readonly pairs: readonly CheckedPair[];
  readonly changes: readonly SubjectFinding[];
  readonly problems: readonly string[];
}

/** When waivers are applied, and to which check. */
export interface WaivingCheck {
  /** A date. */
  readonly today: string;
  /** The value of `--against`; only waivers of the same can be stale. */
  readonly against: string | undefined;
}

/** The hash of the schemas of a pair, by which an unproven verdict is acknowledged. */
export function schemasHash({ older, newer }: Pick<CheckedPair, "older" | "newer">): string {
  return sha256(`${wholeText(older)}\n\n${wholeText(newer)}`);
}

/** Removes waived findings; a waiver that has expired, or whose finding no longer occurs, is a problem. */
export function applyWaivers(
  { pairs, changes }: Pick<Waived, "pairs" | "changes">,
  waivers: readonly Waiver[],
  { today, against }: WaivingCheck,
): Waived {
  const used = new Set<Waiver>();
  const live = waivers.filter(({ expires }) => expires >= today);
  const isWaived = (subject: string, code: string, hash: string): boolean => {
    const waiver = live.find((one) => one.subject === subject && one.code === code && one.hash === hash);
    if (waiver !== undefined) used.add(waiver);
    return waiver !== undefined;
  };
  const left = pairs.map((pair): CheckedPair => {
    const { verdict, assumptions } = pair.result;
    const { name } = pair.subject;
    if (verdict === "unproven" && isWaived(name, "unproven", schemasHash(pair))) return { ...pair, isWaived: true };
    const findings = pair.result.findings.filter(({ code, hash }) => !isWaived(name, code, hash));
    if (findings.length === pair.result.findings.length) return pair;
    const isLeft = findings.some(({ severity }) => severity === "error");
    // A waiver covers its finding and nothing else: the rest of the pair must be safe by itself.
    const { rest = "safe" } = pair.result;
    const isOpen = rest === "unproven" || rest === "breaking";
    const isAcknowledged = isOpen && !isLeft && isWaived(name, "unproven", schemasHash(pair));
    const { nextVersion, ...kept } = pair;
    return {
      ...kept,
      ...(isLeft && nextVersion !== undefined ? { nextVersion } : {}),
      isWaived: !isLeft && (!isOpen || isAcknowledged),
      result: {
        ...pair.result,
        verdict: isLeft ? verdict : "unproven",
        findings,
        assumptions: [...assumptions, "findings were waived"],
        tried: [
          isOpen ? "the rest of the pair, apart from the waived breaks, is not decided" : "every break is waived",
        ],
      },
    };
  });
  const open = changes.filter(({ subject, code, hash }) => !isWaived(subject, code, hash));
  const problems = waivers.flatMap((waiver) => {
    const { code, subject, expires } = waiver;
    if (expires < today) return [`The waiver of ${code} in ${subject} expired on ${expires}.`];
    if (used.has(waiver) || waiver.against !== against) return [];
    return [`The waiver of ${code} in ${subject} is stale: its witness no longer occurs. Remove it.`];
  });
  return { pairs: left, changes: open, problems };
}

/** Waivers that were removed or extended although their findings still occur. */
export function waiverChanges(
  now: readonly Waiver[],
  past: readonly Waiver[],
  { today, hashes }: { readonly today: string; readonly hashes: ReadonlySet<string> },
): readonly SubjectFinding[] {
  return past.flatMap((before) => {
    const own = now.find(
      ({ subject, code, hash }) => subject === before.subject && code === before.code && hash === before.hash,
    );
    const isExtended = own !== undefined && own.expires > before.expires;
    const isRemoved = own === undefined && before.expires >= today && hashes.has(before.hash);
    if (!isExtended && !isRemoved) return [];
    const { subject, code } = before;
    return [
      subjectFinding({
        subject,
        code: isExtended ? "waiver-extended" : "waiver-deleted",
        message: isExtended
          ? `The waiver of ${code} in ${subject} expired on ${before.expires} and now expires on ${own.expires}.`
          : `The waiver of ${code} in ${subject} is gone, and its finding still comes up.`,
        repair: isExtended
          ? "Repair the break by the date that was agreed, or waive this."
          : "Restore it, or repair the break.",
        file: "waivers.json",
      }),
    ];
  });
}
