import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { propertyNames } from "../../src/engine/index.ts";
import { propertyNamesTable } from "../../src/envelope/property-names.ts";

const names = (property: string): unknown => propertyNames.find(({ camelCase }) => camelCase === property);

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
    const page = readFileSync(new URL("../../docs/serve.md", import.meta.url), "utf8");

    expect(page).toContain(propertyNamesTable());
  });
});
