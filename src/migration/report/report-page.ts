import { escapeMarkup } from "../../core/values/markup.ts";
import { checkOption } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";
import type {
  FailedMessage,
  FailureReport,
  MessageName,
  MigrationFinding,
  MigrationReport,
  PathReport,
  TypeReport,
  TypeSample,
  MigrationVerdict,
} from "./report.ts";
import type { HexWindow } from "../journal-entry.ts";
import { byteSize, groupedFindings, hexLines, stepNames, targetNames } from "./report-words.ts";
import { pageStyle } from "./report-style.ts";

/** The report as one self-contained HTML page. */
export function reportPage(report: MigrationReport): string {
  checkOption("report", report, aReport);
  const { source, target, output, seconds, messages, bytes } = report;
  const about = `${number(messages)} messages, ${byteSize(bytes)}, ${seconds.toFixed(1)} s. ${
    output === undefined ? "A dry run: nothing was written." : `Written to ${escapeMarkup(output)}.`
  }`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>Migration of ${escapeMarkup(source)}</title><style>${pageStyle}</style></head><body><main>
<header><p class="eyebrow">sobre migrate</p><h1>${escapeMarkup(source)} <span>→ ${targetNames[target]}</span></h1><p class="about">${about}</p></header>
<p class="verdict ${report.verdict}">${verdicts[report.verdict]}</p>
${tiles(report)}
${section("Formats", formats(report))}
${section("Ambiguous", findings(report.ambiguities, "values"))}
${section("Settled by other messages", findings(report.settled, "values"))}
${section("Lost", findings(report.losses, "messages"))}
${section("Warnings of the readers", warnings(report))}
${section("Failed", report.failures.map(failures).join("\n"))}
${section("Types and their paths", report.types.map(typeDetails).join("\n"))}
</main></body></html>
`;
}

const objects = is.listOf("objects", is.object);
const aReport: is.OptionCheck = (value) =>
  is.having("a report of a migration", {
    source: is.text,
    target: is.oneOf(...Object.keys(targetNames)),
    output: is.maybe(is.text),
    seconds: is.number,
    messages: is.number,
    bytes: is.number,
    outcomes: is.object,
    verdict: is.oneOf(...Object.keys(verdicts)),
    formats: objects,
    types: objects,
    ambiguities: objects,
    settled: objects,
    losses: objects,
    failures: objects,
    warnings: objects,
  })(value);

const verdicts: Readonly<Record<MigrationVerdict, string>> = {
  clean: "<strong>Clean.</strong> Every value was read back from its new payload unchanged.",
  ambiguous:
    "<strong>Ambiguous.</strong> Nothing is lost; some values may be read in two ways, which a contract or more messages would settle.",
  losses: "<strong>With losses.</strong> Every message was migrated; some lost information, as listed.",
  failures: "<strong>With failures.</strong> Some messages were not migrated; they are untouched at their source.",
};

/** Counts of one kind share a tile, and add up to its total. */
function tiles({ messages, outcomes, schemaChecks, ...found }: MigrationReport): string {
  const { migrated, kept, lossy, failed, resumed } = outcomes;
  const { ambiguities, settled, losses } = found;
  return `<div class="tiles">${[
    tile("messages", messages, [
      ["migrated", migrated - lossy, "good"],
      ["unchanged", kept, "good"],
      ["with losses", lossy, "unsure"],
      ["failed", failed, "bad"],
    ]),
    tile("findings", ambiguities.length + settled.length + losses.length, [
      ["ambiguous", ambiguities.length, "unsure"],
      ["settled by others", settled.length, "good"],
      ["lost", losses.length, "bad"],
    ]),
    schemaChecks === 0 ? "" : tile("checked by schema", schemaChecks, []),
    resumed === 0 ? "" : tile("done before", resumed, []),
  ].join("")}</div>`;
}

type ReportPart = readonly [title: string, count: number, name: "good" | "unsure" | "bad"];

function tile(title: string, total: number, parts: readonly ReportPart[]): string {
  const shown = parts.filter(([, count]) => count > 0);
  const rows = shown.map(([part, count, name]) => `<dt>${part}</dt><dd class="${name}">${number(count)}</dd>`);
  return `<div class="tile"><p><b>${number(total)}</b> ${title}</p>${rows.length === 0 ? "" : `<dl>${rows.join("")}</dl>`}</div>`;
}

function section(title: string, body: string): string {
  return body === "" ? "" : `<section><h2>${title}</h2>\n${body}</section>`;
}

function formats({ formats: all, messages }: MigrationReport): string {
  const rows = all.map(
    ({ format, messages: own, bytes }) =>
      `<tr><th scope="row"><code>${escapeMarkup(format)}</code></th><td class="n">${number(own)}</td><td class="n">${byteSize(bytes)}</td><td class="bar"><i style="width:${((own / Math.max(1, messages)) * 100).toFixed(1)}%"></i></td></tr>`,
  );
  return `<div class="wide"><table><thead><tr><th>format</th><th class="n">messages</th><th class="n">bytes</th><th>share</th></tr></thead><tbody>${rows.join("\n")}</tbody></table></div>`;
}

function findings(all: readonly MigrationFinding<string>[], unit: string): string {
  return groupedFindings(all)
    .map((group) => {
      const [{ kind, text } = { kind: "", text: "" }] = group;
      const rows = group.map(
        ({ type, path, count, example }) =>
          `<tr><td><code>${escapeMarkup(path)}</code></td><td class="type">${typeName(type)}</td><td class="n">${number(count)}</td>${example === undefined ? "" : `<td class="id">${escapeMarkup(example)}</td>`}</tr>`,
      );
      const last = group.some(({ example }) => example !== undefined) ? "<th>for example</th>" : "";
      return `<details${group.length <= 12 ? " open" : ""}><summary><span class="kind">${escapeMarkup(kind)}</span> ${escapeMarkup(text)} <span class="dim">${paths(group.length)}</span></summary>
<div class="wide"><table><thead><tr><th>path</th><th>type</th><th class="n">${unit}</th>${last}</tr></thead><tbody>${rows.join("\n")}</tbody></table></div></details>`;
    })
    .join("\n");
}

function paths(count: number): string {
  return count === 1 ? "1 path" : `${number(count)} paths`;
}

function warnings({ warnings: all }: MigrationReport): string {
  return all.length === 0
    ? ""
    : `<ul>${all.map(({ text, count }) => `<li>${escapeMarkup(text)} <span class="dim">${number(count)} ×</span></li>`).join("\n")}</ul>`;
}

function failures({ step, code, count, messages }: FailureReport): string {
  const more = count > messages.length ? `<p class="dim">and ${number(count - messages.length)} more</p>` : "";
  return `<details${messages.length <= 12 ? " open" : ""}><summary><span class="kind bad">${escapeMarkup(code)}</span> ${stepNames[step]} <span class="dim">${number(count)} ×</span></summary><ul class="faults">${messages.map(failure).join("\n")}</ul>${more}</details>`;
}

function failure(failed: FailedMessage): string {
  const { message, sha256, bytes, offset, path, hex, file } = failed;
  const facts = [
    `${number(bytes)} bytes`,
    ...(offset === undefined ? [] : [`byte ${offset}`]),
    ...(path === undefined ? [] : [`<code>${escapeMarkup(path)}</code>`]),
    `sha256 <code>${sha256.slice(0, 16)}…</code>`,
    ...(file === undefined ? [] : [`kept in <code>${escapeMarkup(file)}</code>`]),
  ];
  const window = hex === undefined ? "" : `<pre>${hexText(hex, offset)}</pre>`;
  return `<li><p>${messageName(failed)}</p><p>${escapeMarkup(message)}</p><p class="dim">${facts.join(" · ")}</p>${window}</li>`;
}

/** The message id, the sequence number and the position in the source. */
function messageName({ id, messageId, sequenceNumber }: MessageName): string {
  const names = [
    ...(messageId === undefined ? [] : [`<b class="id">${escapeMarkup(messageId)}</b>`]),
    ...(sequenceNumber === undefined ? [] : [`<span class="id">#${sequenceNumber}</span>`]),
    `<span class="id dim">${escapeMarkup(id)}</span>`,
  ];
  return names.join(" ");
}

/** Eight bytes per line with their offset, for narrow screens; the byte at which reading stopped is marked. */
const mark = (text: string, isMarked: boolean): string => (isMarked ? `<mark>${text}</mark>` : text);

const lineBytes = 8;

function hexText(window: HexWindow, offset: number | undefined): string {
  const lines = hexLines(window, offset, lineBytes).map(({ at, bytes }) => {
    const gap = "   ".repeat(lineBytes - bytes.length);
    const hexes = bytes.map(({ hex, isMarked }) => mark(hex, isMarked)).join(" ");
    const texts = bytes.map(({ text, isMarked }) => mark(escapeMarkup(text), isMarked)).join("");
    return `<i>${at.trimStart().padStart(4)}</i>  ${hexes}${gap}  ${texts}`;
  });
  return lines.join("\n");
}

function typeDetails({ name, subject, messages, codecs, paths: all, morePaths, sample }: TypeReport): string {
  const from = Object.entries(codecs)
    .map(([codec, count]) => `${escapeMarkup(codec)} ${number(count)}`)
    .join(", ");
  const rows = all.map(pathRow).join("\n");
  const more = morePaths === 0 ? "" : `<p class="dim">and ${number(morePaths)} more paths</p>`;
  return `<details><summary><b>${escapeMarkup(subject)}</b> <span class="type">${typeName(name)}</span> <span class="dim">${messages === 1 ? "1 message" : `${number(messages)} messages`} (${from}), ${paths(all.length + morePaths)}</span></summary>
<div class="wide"><table><thead><tr><th>path</th><th>was</th><th>becomes</th></tr></thead><tbody>${rows}</tbody></table></div>${more}${sample === undefined ? "" : samplePair(sample)}</details>`;
}

function samplePair(sample: TypeSample): string {
  return `<p class="sample">${messageName(sample)}</p><div class="pair"><figure><figcaption>before</figcaption><pre>${escapeMarkup(sample.before)}</pre></figure><figure><figcaption>after</figcaption><pre>${escapeMarkup(sample.after)}</pre></figure></div>`;
}

function pathRow({ path, kinds, absent, becomes }: PathReport): string {
  const was = Object.entries({ ...kinds, ...(absent > 0 ? { absent } : {}) }).map(
    ([kind, count]) => `${kind} <span class="dim">${number(count)}</span>`,
  );
  return `<tr><td><code>${escapeMarkup(path)}</code></td><td>${was.join(", ")}</td><td>${escapeMarkup(becomes)}</td></tr>`;
}

/** The local name, with the full one as a tooltip. */
function typeName(name: string): string {
  return `<span title="${escapeMarkup(name)}">${escapeMarkup(name.replace(/^\{.*\}/, "").replace(/`(\d+)\[\[.*/, "`$1[…]"))}</span>`;
}

function number(count: number): string {
  return count.toLocaleString("en");
}
