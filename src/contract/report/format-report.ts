import { escapeMarkup } from "../../core/values/markup.ts";
import type { Witness } from "../verdict.ts";
import type { CheckedPair } from "../subjects/checked-pair.ts";
import { schemasHash } from "../subjects/waivers.ts";
import type { RecordedWitness } from "./replay.ts";
import {
  type CheckReport,
  isPassed,
  nextVersions,
  pairName,
  placedFindings,
  sentencesOf,
  standingOf,
  summaryOf,
  unprovenPairs,
} from "./check-report.ts";
import type { ReportFormat } from "./report-format.ts";

/** The text of a report in a format. */
export function formatReport(report: CheckReport, format: ReportFormat): string {
  return writers[format](report);
}

const writers: Readonly<Record<ReportFormat, (report: CheckReport) => string>> = {
  text,
  json,
  junit,
  github,
  sarif,
  markdown,
};

function text(report: CheckReport): string {
  const placed = placedFindings(report);
  const lines = report.pairs.flatMap((pair) => [
    `${standingOf(pair).padEnd(9)} ${pairName(pair)}`,
    ...(pair.registry === undefined ? [] : [`    the registry, ${pair.registry.mode}: ${labelOf(pair.registry)}`]),
    ...pair.result.rows.map(({ codec, verdict, reason }) => `    ${codec}: ${verdict} (${reason})`),
    ...placed
      .filter((one) => one.pair === pair)
      .flatMap(({ finding, file, place }) => [
        `  ${file}:${place.line}:${place.column} ${finding.code}${finding.severity === "warning" ? " (warning)" : ""}`,
        `    ${finding.message}`,
        ...(pair.direction === "full" ? [`    sent by ${pair[finding.writer].version}`] : []),
        ...(finding.witness === undefined
          ? []
          : [
              `    witness ${JSON.stringify(finding.witness.value)}`,
              `    the reader ${finding.witness.outcome}`,
              ...finding.witness.encodings.map(({ codec, payload }) => `    as ${codec} ${hex(payload)}`),
            ]),
        `    hash ${finding.hash}`,
        `    ${finding.repair}`,
      ]),
    ...(pair.result.tried ?? []).map((line) => `    tried: ${line}`),
    ...(pair.result.verdict === "unproven" ? [`    schemas ${schemasHash(pair)}`] : []),
    ...(pair.nextVersion === undefined ? [] : [`    next version: ${pair.nextVersion}`]),
    `    assuming ${pair.result.assumptions.join("; ")}`,
  ]);
  const changes = report.changes.flatMap(({ subject, code, severity, message, repair, file, hash }) => [
    `${severity === "error" ? "breaking" : "warning "}  ${subject}`,
    `  ${report.folder}/${file} ${code}`,
    `    ${message}`,
    `    hash ${hash}`,
    `    ${repair}`,
  ]);
  return `${[...lines, ...changes, ...report.problems.map((problem) => `problem   ${problem}`), summaryOf(report)].join("\n")}\n`;
}

function labelOf({ isCompatible }: NonNullable<CheckedPair["registry"]>): string {
  return isCompatible === undefined ? "it does not say" : isCompatible ? "compatible" : "incompatible";
}

/** Version 1: members are added, never changed. */
function json(report: CheckReport): string {
  const pairs = report.pairs.map((pair) => ({
    subject: pair.subject.name,
    older: pair.older.version,
    newer: pair.newer.version,
    direction: pair.direction,
    ...(pair.registry === undefined ? {} : { registry: pair.registry }),
    ...(pair.nextVersion === undefined ? {} : { nextVersion: pair.nextVersion }),
    schemas: schemasHash(pair),
    ...(pair.result.verdict === "breaking" ? { compared: comparedOf(pair) } : {}),
    ...pair.result,
    ...(standingOf(pair) === "waived" ? { waived: true } : {}),
    findings: placedFindings({ ...report, pairs: [pair] }).map(({ finding, file, place }) => ({
      ...finding,
      file,
      ...place,
      ...(finding.witness === undefined ? {} : { witness: witnessJson(finding.witness) }),
    })),
  }));
  const { changes, problems } = report;
  return `${JSON.stringify({ version: 1, summary: summaryOf(report), problems, changes, pairs })}\n`;
}

/** Everything needed to replay a witness without the schema files. */
function comparedOf({ subject, older, newer, direction }: CheckedPair): RecordedWitness["compared"] {
  const { contentModel, formats, policy } = subject;
  const schemas = { format: newer.format, older: older.schema, newer: newer.schema };
  return { ...schemas, direction, contentModel, formats, policy };
}

/** A witness with its bytes in hex. */
function witnessJson(witness: Witness): object {
  return {
    ...witness,
    encodings: witness.encodings.map((encoding) => ({ ...encoding, payload: hex(encoding.payload) })),
  };
}

function junit(report: CheckReport): string {
  const placed = placedFindings(report);
  const cases = report.pairs.map((pair) => {
    const name = `<testcase classname="${xml(pair.subject.name)}" name="${xml(pairName(pair))}"`;
    const { verdict, tried = [] } = pair.result;
    const details = placed
      .filter((one) => one.pair === pair)
      .map(({ finding, file, place }) => [`${file}:${place.line}:${place.column}`, ...sentencesOf(finding)].join("\n"))
      .join("\n\n");
    const next = nextVersions({ ...report, pairs: [pair] });
    const said = [...(verdict === "breaking" || details === "" ? [] : [details]), ...next].join("\n\n");
    const out = said === "" ? "" : `<system-out>${xml(said)}</system-out>`;
    if (verdict === "safe" || (verdict === "tested" && isPassed(pair)))
      return out === "" ? `${name}/>` : `${name}>${out}</testcase>`;
    if (verdict === "breaking") return `${name}><failure message="breaking">${xml(details)}</failure>${out}</testcase>`;
    const element = report.strict && pair.isWaived !== true ? "failure" : "skipped";
    return `${name}><${element} message="${xml(`${standingOf(pair)}: ${tried.join("; ")}`)}"/>${out}</testcase>`;
  });
  const problems = report.problems.map(
    (problem) =>
      `<testcase classname="contract" name="${xml(problem)}"><failure message="${xml(problem)}"/></testcase>`,
  );
  const changes = report.changes.map((change) => {
    const { subject, code, severity, message } = change;
    const details = xml([`${report.folder}/${change.file}`, ...sentencesOf(change)].join("\n"));
    const shown =
      severity === "error"
        ? `<failure message="${xml(code)}">${details}</failure>`
        : `<system-out>${details}</system-out>`;
    return `<testcase classname="${xml(subject)}" name="${xml(code)}: ${xml(message)}">${shown}</testcase>`;
  });
  const all = [...cases, ...changes, ...problems];
  const count = (element: string): number => all.filter((one) => one.includes(`<${element} `)).length;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="sobre contract" tests="${all.length}" failures="${count("failure")}" skipped="${count("skipped")}">\n${all.join("\n")}\n</testsuite>\n`;
}

function github(report: CheckReport): string {
  const lines = placedFindings(report).map(
    ({ pair, finding, file, place }) =>
      `::${finding.severity} file=${property(file)},line=${place.line},col=${place.column},title=${property(`${finding.code}: ${pairName(pair)}`)}::${escape(sentencesOf(finding).join("\n"))}`,
  );
  const unproven = unprovenPairs(report).map(
    ({ pair, file, why }) =>
      `::${report.strict ? "error" : "warning"} file=${property(file)},line=1,title=${property(`unproven: ${pairName(pair)}`)}::${escape(why)}`,
  );
  const changes = report.changes.map(
    (change) =>
      `::${change.severity} file=${property(`${report.folder}/${change.file}`)},title=${property(`${change.code}: ${change.subject}`)}::${escape(sentencesOf(change).join("\n"))}`,
  );
  const problems = report.problems.map((problem) => `::error::${escape(problem)}`);
  const next = nextVersions(report).map((line) => `::notice title=next version::${escape(line)}`);
  return `${[...lines, ...unproven, ...changes, ...problems, ...next, summaryOf(report)].join("\n")}\n`;
}

function sarif(report: CheckReport): string {
  const findings = placedFindings(report).map(({ pair, finding, file, place }) => ({
    ruleId: finding.code,
    level: finding.severity,
    message: { text: `${pairName(pair)}: ${sentencesOf(finding).join(" ")}` },
    locations: [located(file, { startLine: place.line, startColumn: place.column })],
    partialFingerprints: { witness: finding.hash },
  }));
  const unproven = unprovenPairs(report).map(({ pair, file, why }) => ({
    ruleId: "unproven",
    level: report.strict ? "error" : "warning",
    message: { text: `${pairName(pair)} is unproven: ${why}` },
    locations: [located(file, { startLine: 1 })],
  }));
  const problems = report.problems.map((problem) => ({
    ruleId: "problem",
    level: "error",
    message: { text: problem },
  }));
  const changes = report.changes.map((change) => ({
    ruleId: change.code,
    level: change.severity,
    message: { text: sentencesOf(change).join(" ") },
    locations: [located(`${report.folder}/${change.file}`, { startLine: 1 })],
    partialFingerprints: { finding: change.hash },
  }));
  const results = [...findings, ...unproven, ...changes, ...problems];
  const rules = Array.from(new Set(results.map(({ ruleId }) => ruleId)), (id) => ({ id }));
  const tool = { driver: { name: "sobre contract", rules } };
  const notes = nextVersions(report).map((line) => ({ level: "note", message: { text: line } }));
  const told =
    notes.length === 0 ? {} : { invocations: [{ executionSuccessful: true, toolExecutionNotifications: notes }] };
  return `${JSON.stringify({ version: "2.1.0", $schema: "https://json.schemastore.org/sarif-2.1.0.json", runs: [{ tool, ...told, results }] })}\n`;
}

function located(file: string, region: object): object {
  // A URI must not contain spaces.
  return { physicalLocation: { artifactLocation: { uri: encodeURI(file) }, region } };
}

function markdown(report: CheckReport): string {
  const placed = placedFindings(report);
  const rows = report.pairs.flatMap((pair) => {
    const { tried = [] } = pair.result;
    const standing = standingOf(pair);
    const found = placed
      .filter((one) => one.pair === pair)
      .map(({ finding: { message, repair, witness }, file, place }) => {
        const shown = witness === undefined ? "" : `\`${cell(JSON.stringify(witness.value))}\``;
        return `| ${cell(pairName(pair))} | ${standing} | ${cell(message)} | ${shown} | ${cell(repair)} | ${cell(`${file}:${place.line}`)} |`;
      });
    const none = `| ${cell(pairName(pair))} | ${standing} | ${cell(tried.join("; "))} | | | |`;
    return found.length > 0 ? found : [none];
  });
  const problems = [
    ...report.changes.map(({ message, repair }) => `${message} ${repair}`),
    ...report.problems,
    ...nextVersions(report),
  ].map((problem) => `- ${problem}`);
  return `${["| pair | verdict | why | witness | repair | where |", "| --- | --- | --- | --- | --- | --- |", ...rows, "", ...problems, ...(problems.length > 0 ? [""] : []), `${summaryOf(report)}.`].join("\n")}\n`;
}

/** Escapes for XML 1.0, which cannot express control characters. */
function xml(value: string): string {
  const allowed = value.replaceAll(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, "\u{FFFD}");
  return escapeMarkup(allowed);
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

/** Escapes as GitHub's workflow commands ask. */
function escape(value: string): string {
  return value.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function cell(value: string): string {
  return value.replaceAll("|", "\\|").replaceAll("\n", " ");
}

function property(value: string): string {
  return escape(value).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
