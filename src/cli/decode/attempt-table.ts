import type { Attempt } from "../../core/codec/attempt.ts";
import type { UnreadableResult } from "../../core/codec/result.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { oneLine } from "../display.ts";
import { gap, renderTable } from "../table.ts";
import type { Terminal } from "../terminal.ts";

/** Every attempt at an unreadable payload, one per line: codec, code, offset and reason; then the codecs that were ruled out. */
export function attemptTable(
  { attempts, error }: Pick<UnreadableResult, "attempts" | "error">,
  { columns, style }: Pick<Terminal, "columns" | "style">,
): string {
  const indent = 2;
  const ruledOut = attempts.filter(({ outcome }) => outcome === "vetoed").map(({ codec }) => codec);
  const tried = attempts.filter(({ outcome }) => outcome !== "vetoed");
  const taken = [Math.max(8, ...tried.map(({ codec }) => codec.length)), 18, 9];
  const why = columns - indent - taken.reduce((sum, width) => sum + width + gap, 0);
  // The reason why the declared codec was not tried is not an attempt, but explains all that follow.
  const problem = attempts.length === 0 ? error : error.cause;
  const before = problem instanceof SobreError ? [["message", problem.code, "", oneLine(problem.message)]] : [];
  const others =
    ruledOut.length === 0 ? [] : [["others", "ruled out", "", `by the first bytes: ${ruledOut.join(", ")}`]];
  const rows = [...before, ...tried.map(row), ...others];
  return renderTable(
    rows.map(([codec = "", code = "", where = "", reason = ""]) => [codec, style.yellow(code), where, reason]),
    { widths: [...taken, why], indent },
  );
}

function row({ codec, outcome, code, offset, message }: Attempt): readonly string[] {
  return [codec, code ?? outcome, offset === undefined ? "" : `byte ${offset}`, oneLine(message ?? "")];
}
