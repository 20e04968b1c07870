import { escapeMarkup } from "../../core/values/markup.ts";
import { failedCells, type MatrixCell } from "./matrix.ts";

/** The matrix for a terminal: a block per subject and codec, producers down, consumers across. */
export function matrixText(cells: readonly MatrixCell[]): string {
  return blocksOf(cells)
    .map(({ title, producers, consumers, cellAt }) => {
      const rows = producers.map((producer) => [
        producer,
        ...consumers.map((consumer) => signOf(cellAt(producer, consumer))),
      ]);
      const table = [["producer \\ consumer", ...consumers], ...rows];
      const widths = consumers.map((_, at) => Math.max(...table.map((row) => row[at + 1]?.length ?? 0)));
      const line = ([first = "", ...others]: readonly string[]): string =>
        ["", first.padEnd(19), ...others.map((cell, at) => cell.padEnd(widths[at] ?? 0))].join("  ").trimEnd();
      return [title, ...table.map((row) => line(row))].join("\n");
    })
    .join("\n\n");
}

function signOf(cell: MatrixCell | undefined): string {
  if (cell === undefined) return "";
  return cell.meets ? cell.outcome : `(${cell.outcome})`;
}

/** The matrix as one self-contained HTML page. */
export function matrixPage(cells: readonly MatrixCell[]): string {
  const tables = blocksOf(cells).map(({ title, producers, consumers, cellAt }) => {
    const head = consumers.map((consumer) => `<th scope="col">${escapeMarkup(consumer)}</th>`).join("");
    const rows = producers.map((producer) => {
      const data = consumers.map((consumer) => {
        const cell = cellAt(producer, consumer);
        return `<td class="${cell?.outcome ?? ""}${cell?.meets === true ? "" : " apart"}" title="${escapeMarkup(cell?.detail ?? "")}">${escapeMarkup(signOf(cell))}</td>`;
      });
      return `<tr><th scope="row">${escapeMarkup(producer)}</th>${data.join("")}</tr>`;
    });
    return `<h2>${escapeMarkup(title)}</h2>\n<table><thead><tr><td>producer \\ consumer</td>${head}</tr></thead>\n<tbody>${rows.join("\n")}</tbody></table>`;
  });
  const failed = failedCells(cells).map(
    ({ subject, producer, consumer, codec, outcome, detail }) =>
      `<li>${escapeMarkup(`${subject} ${producer} → ${consumer}, ${codec}: ${outcome}, ${detail}`)}</li>`,
  );
  const holes = cells.filter(({ outcome, meets }) => outcome === "hole" && meets).length;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Contract matrix</title><style>
body{font:16px/1.5 system-ui,sans-serif;margin:2rem;color:#1b1b1b;background:#fff}
table{border-collapse:collapse}td,th{border:1px solid #999;padding:.3rem .7rem;text-align:left}
.read{background:#d8f0d8}.hole{background:#eee}.changed,.refused,.unread{background:#f6d5d0}.apart{font-style:italic;opacity:.8}
@media(prefers-color-scheme:dark){body{color:#eee;background:#161616}.read{background:#1f4d22}.hole{background:#333}.changed,.refused,.unread{background:#6b2118}}
</style></head><body><h1>Contract matrix</h1>
<p>Each cell: what a consumer version makes of the recorded messages of a producer version. In brackets: versions that do not meet.</p>
<p><strong>${cells.length} cells; ${failed.length} that meet and fail; ${holes} that meet and are holes.</strong></p>
${failed.length === 0 ? "" : `<ul>\n${failed.join("\n")}\n</ul>\n`}${tables.join("\n")}
</body></html>
`;
}

interface Block {
  readonly title: string;
  readonly producers: readonly string[];
  readonly consumers: readonly string[];
  readonly cellAt: (producer: string, consumer: string) => MatrixCell | undefined;
}

function blocksOf(cells: readonly MatrixCell[]): readonly Block[] {
  const titles = new Set(cells.map(titleOf));
  return Array.from(titles, (title) => {
    const own = cells.filter((cell) => titleOf(cell) === title);
    return {
      title,
      producers: Array.from(new Set(own.map(({ producer }) => producer))),
      consumers: Array.from(new Set(own.map(({ consumer }) => consumer))),
      cellAt: (producer, consumer) => own.find((cell) => cell.producer === producer && cell.consumer === consumer),
    };
  });
}

function titleOf({ subject, codec }: MatrixCell): string {
  return `${subject}, ${codec}`;
}
