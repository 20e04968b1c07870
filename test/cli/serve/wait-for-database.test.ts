import { describe, expect, it } from "vitest";
import { waitForDatabase } from "../../../src/cli/serve/wait-for-database.ts";
import { SobreError } from "../../../src/core/errors/index.ts";
import { ManualClock } from "../../../src/core/time/index.ts";
import { captureTerminal } from "../captured-terminal.support.ts";

const away = (): SobreError => new SobreError("ServiceCommunicationProblem", "PostgreSQL is starting. Try again.");

const never = new Promise<void>(() => {});

/** Opens a database that refuses so many times first, while the clock moves on. */
async function opened(refusals: readonly SobreError[], milliseconds: number, stop: Promise<void> = never) {
  const clock = new ManualClock();
  const terminal = captureTerminal();
  let attempts = 0;
  const open = async (): Promise<string> => {
    const refusal = refusals[attempts++];
    if (refusal !== undefined) throw refusal;
    return "open";
  };
  const outcomes: unknown[] = [];
  const waiting = waitForDatabase(open, { milliseconds, terminal, stop, clock }).then(
    (value) => outcomes.push(value),
    (error: unknown) => outcomes.push(error),
  );
  for (let passed = 0; outcomes.length === 0 && passed <= milliseconds + 1000; passed += 500) await clock.advance(500);
  await waiting;
  return { outcome: outcomes[0], attempts, errors: terminal.errors() };
}

describe("the start on a database that is away", () => {
  it("waits for it, and says so once for each reason", async () => {
    const busy = new SobreError("ServiceBusy", "PostgreSQL has no connection left.");

    const { outcome, attempts, errors } = await opened([away(), away(), busy, away()], 60_000);

    expect([outcome, attempts]).toEqual(["open", 5]);
    expect(errors.split("\n").filter((line) => line !== "")).toEqual([
      "sobre: PostgreSQL is starting. Try again. Waiting for the database, for 1m in all.",
      "sobre: PostgreSQL has no connection left. Waiting for the database, for 1m in all.",
      "sobre: PostgreSQL is starting. Try again. Waiting for the database, for 1m in all.",
    ]);
  });

  it("gives up when the time is over", async () => {
    const { outcome, attempts } = await opened(Array.from({ length: 99 }, away), 3000);

    expect(outcome).toMatchObject({ code: "ServiceCommunicationProblem" });
    expect(attempts).toBe(4);
  });

  it.each(["UnauthorizedAccess", "InvalidOperation", "InvalidArgument"] as const)(
    "does not wait after %s, which does not end by itself",
    async (code) => {
      const { outcome, attempts } = await opened([new SobreError(code, "refused")], 60_000);

      expect([outcome, attempts]).toMatchObject([{ code }, 1]);
    },
  );

  it("ends when the process is asked to", async () => {
    const { outcome, attempts } = await opened(Array.from({ length: 99 }, away), 60_000, Promise.resolve());

    expect(outcome).toMatchObject({ code: "ServiceCommunicationProblem" });
    expect(attempts).toBeLessThan(3);
  });
});
