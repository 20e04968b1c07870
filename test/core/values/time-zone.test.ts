import { describe, expect, it } from "vitest";
import { offsetAt, offsetAtClock } from "../../../src/core/values/time-zone.ts";
import { millisecondsToTicks, parseTime } from "../../../src/core/values/ticks.ts";

const clock = (text: string): bigint => parseTime(text)?.ticks ?? 0n;

describe("the offset of a zone", () => {
  it.each([
    ["Europe/Madrid", "2024-10-27T02:30:00", 120, 60],
    ["America/New_York", "2024-11-03T01:30:00", -240, -300],
    ["Australia/Lord_Howe", "2024-04-07T01:45:00", 660, 630],
    ["Pacific/Auckland", "2024-04-07T02:59:59.9999999", 780, 720],
  ])("in %s is at %s, which comes twice, first %i and then %i minutes", (zone, text, first, second) => {
    expect(offsetAtClock(clock(text), zone, "earlier")).toBe(first);
    expect(offsetAtClock(clock(text), zone, "later")).toBe(second);
  });

  it.each([
    ["Europe/Madrid", "2024-10-27T01:59:59.9999999", 120],
    ["Europe/Madrid", "2024-10-27T03:00:00", 60],
    ["Europe/Madrid", "2024-03-31T01:59:59", 60],
    ["Europe/Madrid", "2024-03-31T02:30:00", 60],
    ["Europe/Madrid", "2024-03-31T03:00:00", 120],
    ["America/New_York", "2024-03-10T02:30:00", -300],
    ["America/New_York", "2024-03-10T03:00:00", -240],
    ["Pacific/Apia", "2011-12-31T00:00:00", 840],
    ["Pacific/Kiritimati", "2024-01-01T00:00:00", 840],
    ["UTC", "2024-01-01T00:00:00", 0],
  ])("in %s is at %s on the clock %i minutes, whichever is asked for", (zone, text, offset) => {
    expect(offsetAtClock(clock(text), zone, "earlier")).toBe(offset);
    expect(offsetAtClock(clock(text), zone, "later")).toBe(offset);
  });

  it("gives the clock that it was asked for, at every quarter of an hour around a change", () => {
    const missed: string[] = [];

    for (const zone of ["Europe/Madrid", "America/St_Johns", "Australia/Lord_Howe", "Asia/Kathmandu"]) {
      for (let utc = Date.UTC(2023, 9, 1); utc < Date.UTC(2023, 10, 10); utc += 900_000) {
        const ticks = millisecondsToTicks(utc);
        const offset = offsetAt(ticks, zone);
        const shown = ticks + BigInt(offset) * 600_000_000n;

        if (offsetAtClock(shown, zone, "earlier") === offset || offsetAtClock(shown, zone, "later") === offset)
          continue;
        missed.push(`${zone} ${new Date(utc).toISOString()}`);
      }
    }

    expect(missed).toEqual([]);
  });

  it.each(["Asia/Tokyo", "America/New_York", "Europe/Madrid"])(
    "of %s is less than a day at both ends of time",
    (zone) => {
      for (const ticks of [-36_000_000_000n, 0n, 3_155_378_975_999_999_999n]) {
        expect(Math.abs(offsetAt(ticks, zone))).toBeLessThan(24 * 60);
        expect(Math.abs(offsetAtClock(ticks, zone, "later"))).toBeLessThan(24 * 60);
      }
    },
  );
});
