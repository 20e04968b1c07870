import { stripVTControlCharacters } from "node:util";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { unprintable } from "./captured-terminal.support.ts";
import { mailboxReading } from "../../src/cli/codecs.ts";
import { displayWidth } from "../../src/cli/display.ts";
import { readMailbox } from "../../src/cli/tour/mailbox.ts";
import { createStyle, fittingColumns } from "../../src/cli/terminal.ts";
import { takeTour, type Tour } from "../../src/cli/tour/tour.ts";
import { tourReport } from "../../src/cli/tour/tour-report.ts";

const folder = fileURLToPath(new URL("../../fixtures/mailbox", import.meta.url));

describe("the report of a tour", () => {
  let tour: Tour;
  beforeAll(async () => {
    const mailbox = await readMailbox(folder);
    tour = await takeTour(mailbox, mailboxReading(mailbox));
  });

  it.each([60, 80, 100, 137, 200])("fits %i columns", (columns) => {
    const report = tourReport("fixtures/mailbox", tour, { columns, style: createStyle(false) });

    const widths = report.split("\n").map(displayWidth);

    expect(Math.max(...widths)).toBeLessThanOrEqual(columns);
    expect(Math.max(...widths)).toBeGreaterThan(columns - 5);
  });

  it("of an empty mailbox says so, and has no empty tables", () => {
    const nothing = { ...tour, stops: [], deadLetters: [], repair: undefined };

    const report = tourReport("x", nothing, { columns: 80, style: createStyle(false) });

    expect(report).toBe(
      "\nThe mailbox  0 messages of x, through a queue in memory\n\nIts manifest lists no messages, so there is nothing to read.\n",
    );
  });

  it("contains nothing that a terminal obeys", () => {
    const report = tourReport("fixtures/mailbox", tour, { columns: 200, style: createStyle(false) });

    expect(unprintable(report)).toEqual(["\n"]);
    expect(report).toContain(String.raw`\u001b[31mpaid\u001b[0m`);
  });

  it("is the same text with colours", () => {
    const plain = tourReport("fixtures/mailbox", tour, { columns: 100, style: createStyle(false) });

    const coloured = tourReport("fixtures/mailbox", tour, { columns: 100, style: createStyle(true) });

    expect(coloured).toContain("\u001b[");
    expect(stripVTControlCharacters(coloured)).toBe(plain);
  });

  it("names every attempt at an unreadable message and why it failed", () => {
    const report = tourReport("fixtures/mailbox", tour, { columns: 200, style: createStyle(false) });

    for (const { letter, result } of tour.stops) {
      if (result.ok) continue;
      const story = report.slice(report.indexOf(`\n${letter.file}  `, report.indexOf("What nothing could read")));
      for (const { codec, outcome, message } of result.attempts) {
        if (outcome === "vetoed")
          expect(story.replaceAll(/\s+/g, " ")).toMatch(new RegExp(`by the first bytes: [\\w, -]*${codec}`));
        else {
          expect(story).toContain(`\n  ${codec.padEnd(8)}  `);
          expect(story.replaceAll(/\s+/g, " ")).toContain(message);
        }
      }
    }
  });

  it("reports expectations that did not hold", () => {
    const [first, ...others] = tour.stops;
    const stops = first === undefined ? [] : [{ ...first, surprise: "It was read by nobody." }, ...others];

    const report = tourReport("x", { ...tour, stops }, { columns: 100, style: createStyle(false) });

    expect(report).toContain(
      "1 of 56 expectations of the manifest did not hold:\n  order.json: It was read by nobody.",
    );
  });
});

describe("the columns of a terminal", () => {
  it("are used between 40 and 200, and 100 without a terminal", () => {
    expect([undefined, 0, 30, 80, 120, 400].map(fittingColumns)).toEqual([100, 100, 40, 80, 120, 200]);
  });
});
