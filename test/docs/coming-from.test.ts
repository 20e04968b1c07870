import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createClient } from "../../src/client/client/client.ts";
import { createSerializer } from "../../src/core/codec/serializer.ts";
import { json } from "../../codecs/json/index.ts";
import { memoryEngine } from "../../src/broker/memory/memory-engine.ts";
import * as sobre from "../../src/index.ts";
import * as cloudEvents from "../../src/client/cloud-events/index.ts";
import * as contract from "../../src/contract/index.ts";
import * as clients from "../../src/client/client/index.ts";
import * as inbox from "../../src/client/inbox/index.ts";
import * as stages from "../../src/client/stages/index.ts";
import * as testing from "../../src/client/testing/index.ts";

const page = readFileSync(new URL("../../docs/coming-from.md", import.meta.url), "utf8");

/** The second columns of the tables. */
const ours = Array.from(page.matchAll(/^\|(?! yours| ---).*?\|(.*?)\|[^|]*\|$/gm), ([, cell = ""]) => cell);
const called = new Set(
  ours.flatMap((cell) =>
    Array.from(cell.matchAll(/`([^`]+)`/g), ([, code = ""]) => code).flatMap((code) =>
      Array.from(code.matchAll(/(?:^|client\.|context\.|\s)([a-z]\w+)\(/gi), ([, name = ""]) => name),
    ),
  ),
);

describe('the page "coming from"', () => {
  it("names only what there is", () => {
    const client = createClient({
      engine: memoryEngine({ queues: ["orders"] }),
      serializer: createSerializer({ codecs: [json()] }),
    });
    const ends = [client.createSender("orders"), client.createReceiver("orders")];
    const known = new Set(
      [sobre, clients, cloudEvents, inbox, stages, testing, contract, client, ...ends].flatMap((holder) =>
        Object.keys(holder),
      ),
    );

    expect([...called].filter((name) => !known.has(name))).toEqual([]);
    expect(called.size).toBeGreaterThan(15);
  });
});
