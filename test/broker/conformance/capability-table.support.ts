import { type EngineTarget, renderEngineReport, reportEngine } from "../../../src/broker/conformance/index.ts";
import { memoryEngine } from "../../../src/broker/memory/index.ts";
import { ManualClock } from "../../../src/core/time/index.ts";

const target: EngineTarget = {
  async open() {
    const clock = new ManualClock();
    return { engine: memoryEngine({ clock }), advance: (milliseconds) => clock.advance(milliseconds) };
  },
};

/** The table of `docs/engines.md`, from a run of the suite, with its columns aligned as the formatter has them. */
export async function capabilityTable(): Promise<string> {
  const rows = renderEngineReport(await reportEngine(target))
    .trim()
    .split("\n")
    .map((line) =>
      line
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim()),
    );
  const widths = [0, 1, 2].map((column) =>
    Math.max(...rows.map((row) => (/^-+$/.test(row[column] ?? "") ? 3 : (row[column]?.length ?? 0)))),
  );
  const cell = (text: string, column: number): string =>
    /^-+$/.test(text) ? "-".repeat(widths[column] ?? 3) : text.padEnd(widths[column] ?? 0);
  return rows.map((row) => `| ${row.map(cell).join(" | ")} |`).join("\n");
}
