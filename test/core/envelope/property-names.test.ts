import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { propertyNames } from "../../../src/core/engine/index.ts";

const names = (property: string): unknown => propertyNames.find(({ camelCase }) => camelCase === property);

/** The names as a table of Markdown. */
function propertyNamesTable(): string {
  const rows = propertyNames.map(({ camelCase, pascalCase, snakeCase, amqp, http, settable }) => {
    const place = http.member === undefined ? http.header : `${http.header}: ${http.member}`;
    return [camelCase, pascalCase, snakeCase, `${amqp.section}: ${amqp.name}`, place, settable ? "sender" : "broker"];
  });
  const cells = [["camelCase", "PascalCase", "snake_case", "AMQP", "HTTP", "set by"], ...rows];
  const widths = cells[0]?.map((_head, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0))) ?? [];
  const [head = "", ...lines] = cells.map(
    (row) => `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(" | ")} |`,
  );
  return [head, `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`, ...lines].join("\n");
}

describe("the names of broker properties", () => {
  it("are there in every dialect", () => {
    expect(names("sessionId")).toEqual({
      camelCase: "sessionId",
      pascalCase: "SessionId",
      snakeCase: "session_id",
      amqp: { section: "properties", name: "group-id" },
      http: { header: "BrokerProperties", member: "SessionId" },
      settable: true,
    });
    expect(names("enqueuedTimeUtc")).toMatchObject({
      snakeCase: "enqueued_time_utc",
      amqp: { section: "message-annotations", name: "x-opt-enqueued-time" },
      settable: false,
    });
    expect(names("subject")).toMatchObject({ pascalCase: "Subject", http: { member: "Label" } });
    expect(names("contentType")).toMatchObject({ http: { header: "Content-Type", member: "ContentType" } });
    expect(names("deadLetterReason")).toMatchObject({ http: { header: "DeadLetterReason", member: undefined } });
  });

  it("are the table of docs/serve.md", () => {
    const page = readFileSync(new URL("../../../docs/serve.md", import.meta.url), "utf8");

    expect(page).toContain(propertyNamesTable());
  });
});
