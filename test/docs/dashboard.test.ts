import { readFileSync } from "node:fs";
import * as api from "@opentelemetry/api";
import { describe, expect, it } from "vitest";
import { openTelemetryMetrics } from "../../src/client/client/index.ts";

const read = (file: string): string => readFileSync(new URL(`../../docs/${file}`, import.meta.url), "utf8");

/** The metrics that are made, by the names that Prometheus gives them. */
function metricNames(): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const make =
    (...suffixes: readonly string[]) =>
    (name: string) => {
      for (const suffix of suffixes) names.set(`${name.replaceAll(".", "_")}${suffix}`, name);
      return { addCallback: () => undefined, removeCallback: () => undefined, record: () => undefined };
    };
  const meter: api.Meter = Object.assign(Object.create(api.createNoopMeter()), {
    createHistogram: make("_seconds_bucket", "_seconds_count"),
    createObservableCounter: make("_total"),
    createObservableUpDownCounter: make(""),
  });
  openTelemetryMetrics({ metrics: { getMeter: () => meter } });
  return names;
}

const textsUnder = (value: unknown, key: string): readonly string[] =>
  typeof value !== "object" || value === null
    ? []
    : Object.entries(value).flatMap(([name, one]) =>
        name === key && typeof one === "string" ? [one] : textsUnder(one, key),
      );

describe("the dashboard", () => {
  it("shows every metric, and no other", () => {
    const names = metricNames();
    const dashboard: unknown = JSON.parse(read("dashboard.json"));
    const used = textsUnder(dashboard, "expr").flatMap((expression) =>
      Array.from(expression.matchAll(/\b((?:sobre|messaging)_\w+)\{/g), ([, name = ""]) => name),
    );

    expect(used.filter((name) => !names.has(name))).toEqual([]);
    expect(new Set(used.map((name) => names.get(name)))).toEqual(new Set(names.values()));
  });

  it("has metrics that are all in the table of the page", () => {
    const page = read("production.md");

    expect([...metricNames().values()].filter((name) => !page.includes(`| \`${name}\``))).toEqual([]);
  });
});
