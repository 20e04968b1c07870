import { describe, expect, it } from "vitest";
import { parseAddress } from "../../../src/core/engine/address.ts";
import { Effort } from "../../../src/broker/policy/sql/effort.ts";
import { compileSqlFilter } from "../../../src/broker/policy/sql/filter.ts";
import { memoryEngine } from "../../../src/broker/memory/index.ts";
import { createEnvelope } from "../../../src/core/envelope/index.ts";
import { readBrokerProperties } from "../../../src/wire/http/broker-properties-header.ts";
import { readPropertyHeaders } from "../../../src/wire/http/property-headers.ts";
import { readSas } from "../../../src/wire/http/sas.ts";
import { readXml } from "../../../src/wire/http/xml.ts";
import { nodeOf } from "../../../src/serve/server/amqp/node-address.ts";
import { resourceOf } from "../../../src/serve/server/http/atom.ts";
import { targetOf } from "../../../src/serve/server/http/data-plane.ts";
import { Namespaces } from "../../../src/serve/server/namespaces.ts";
import { readIsoDuration, toMilliseconds } from "../../../src/core/time/duration.ts";

const size = 65_536;
const namespaces = new Namespaces({ name: "", engine: memoryEngine(), keys: undefined });
const envelope = createEnvelope({ payload: new Uint8Array(), brokerProperties: { subject: "a" } });
const matches = (filter: string): boolean => compileSqlFilter(filter)({ envelope, effort: new Effort() });

/** Every reader of text that a peer reaches, some before it has shown a token. */
const parsers: Readonly<Record<string, (text: string) => unknown>> = {
  address: nodeOf,
  "entity address": parseAddress,
  "data path": targetOf,
  "administration path": resourceOf,
  token: readSas,
  // It is read before the call returns.
  "resource of a token": (text) =>
    void namespaces.token(`SharedAccessSignature sr=${text}&sig=x&se=1&skn=k`, text).catch(() => undefined),
  XML: readXml,
  "XML content": (text) => readXml(`<a>${text}</a>`),
  "XML attributes": (text) => readXml(`<a ${text}></a>`),
  "broker properties": readBrokerProperties,
  "time span": (text) => readBrokerProperties(JSON.stringify({ TimeToLiveTimeSpan: text })),
  "property header": (text) => readPropertyHeaders(["a", text]),
  duration: (text) => toMilliseconds(text, "duration"),
  "ISO 8601 duration": readIsoDuration,
  SQL: (text) => matches(text),
  "SQL text": (text) => matches(`sys.Label LIKE '${text}'`),
};

const pieces = [
  "/",
  "a/",
  "/subscriptions",
  "/messages",
  "/$management",
  "(",
  "((a",
  " ",
  "&",
  "&a",
  "<",
  "<a ",
  "<!--",
];
const others = [
  "%",
  "%25",
  "'",
  "''",
  "-",
  ".",
  "0",
  "1.",
  "1:",
  ";",
  '"',
  "a",
  "a=",
  "aA",
  "\\",
  "%_",
  "a OR ",
  "NOT ",
];

/** Milliseconds of this thread's own processor time, whatever else the machine does; the best of three tries. */
function cost(parse: (text: string) => unknown, text: string): number {
  let best = Infinity;
  for (let round = 0; round < 3; round++) {
    const start = process.threadCpuUsage();
    try {
      parse(text);
    } catch {
      // Most of these texts are refused.
    }
    const { user, system } = process.threadCpuUsage(start);
    best = Math.min(best, (user + system) / 1000);
  }
  return best;
}

/** Whether a text costs over 2.5 times as much as its half, each time that it is measured. */
function growsTooFast(parse: (text: string) => unknown, text: string): boolean {
  for (let round = 0; round < 5; round++) {
    const whole = cost(parse, text);
    // Below ten milliseconds nothing can be said, and need not be.
    if (whole < 10 || whole <= 2.5 * cost(parse, text.slice(0, text.length / 2))) return false;
  }
  return true;
}

describe("texts of 64 KB that are made to be slow", () => {
  it.each(Object.entries(parsers))("cost at most 2.5 times as much at twice the length: %s", (_name, parse) => {
    const slow = [...pieces, ...others].filter((piece) => {
      const text = piece.repeat(size / piece.length);
      const texts = [text, `${text}!`, `a${text}`];
      return texts.some((whole) => growsTooFast(parse, whole));
    });

    expect(slow).toEqual([]);
  });
});
