import { once } from "node:events";
import { connect } from "node:net";
import { type Server, startServer } from "../../../src/serve/server/index.ts";

/** A request made to harm, and the status of its answer. */
interface HttpCase {
  readonly what: string;
  readonly bytes: string;
  readonly status: string;
}

const to = (target: string, method = "GET", headers = "", body = ""): string =>
  `${method} ${target} HTTP/1.1\r\nHost: localhost\r\n${headers}${body === "" ? "" : `Content-Length: ${Buffer.byteLength(body)}\r\n`}\r\n${body}`;
const post = (headers: string, body = "a", target = "/q/messages"): string => to(target, "POST", headers, body);
const json = "Content-Type: application/vnd.microsoft.servicebus.json\r\n";
const properties = (text: string): string => `BrokerProperties: ${text}\r\n`;
const atom = (content: string): string =>
  `<entry xmlns="http://www.w3.org/2005/Atom"><content type="application/xml">${content}</content></entry>`;
const description = (inner: string): string =>
  `<QueueDescription xmlns="http://schemas.microsoft.com/netservices/2010/10/servicebus/connect">${inner}</QueueDescription>`;

const bad: Readonly<Record<string, string>> = {
  "no host": "GET /health HTTP/1.1\r\n\r\n",
  "two hosts": "GET /health HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
  "a version that there is not": "GET /health HTTP/9.9\r\nHost: localhost\r\n\r\n",
  "a method of lower case letters": "get /health HTTP/1.1\r\nHost: localhost\r\n\r\n",
  "no target": "GET HTTP/1.1\r\nHost: localhost\r\n\r\n",
  "a control character in the target": "GET /\u0001 HTTP/1.1\r\nHost: localhost\r\n\r\n",
  "two lengths": post("Content-Length: 9\r\n"),
  "a length and chunks": post("Transfer-Encoding: chunked\r\n"),
  "a length that is a text": "POST /q/messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: a\r\n\r\n",
  "a negative length": "POST /q/messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
  "a chunk without size": "POST /q/messages HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
  "a header without colon": "GET /health HTTP/1.1\r\nHost: localhost\r\nno colon\r\n\r\n",
  "a folded header": "GET /health HTTP/1.1\r\nHost: localhost\r\nA: 1\r\n\tb c: 2\r\n\r\n",
  "a path that is not UTF-8": to("/q%ff/messages", "POST"),
  "a percent sign alone": to("/q%/messages", "POST"),
  "broker properties that are no JSON": post(properties("{")),
  "broker properties in a list": post(properties("[]")),
  "broker properties that are a number": post(properties("7")),
  "a time to live that is a text": post(properties('{"TimeToLive":"long"}')),
  "a negative time to live": post(properties('{"TimeToLive":-1}')),
  "a time that is none": post(properties('{"ScheduledEnqueueTimeUtc":"soon"}')),
  "a session id of 200 characters": post(properties(`{"SessionId":"${"s".repeat(200)}"}`)),
  "a message id that is a list": post(properties('{"MessageId":["a"]}')),
  "a batch that is no JSON": post(json, "["),
  "a batch that is an object": post(json, "{}"),
  "a batch of numbers": post(json, "[1]"),
  "a batch without bodies": post(json, '[{"Body":7}]'),
  "a batch of 10,001 messages": post(json, JSON.stringify(Array.from({ length: 10_001 }, () => ({ Body: "" })))),
  "a time-out that is a text": to("/q/messages/head?timeout=soon", "DELETE"),
  "a negative time-out": to("/q/messages/head?timeout=-1", "DELETE"),
  "a time-out of a fraction": to("/q/messages/head?timeout=0.0001", "DELETE"),
  "a description that is no XML": to("/new", "PUT", "", "<entry"),
  "a description of entities": to("/new", "PUT", "", `<!DOCTYPE a [<!ENTITY b "c">]>${atom(description("&b;"))}`),
  "a description of nothing": to("/new", "PUT", "", "<a/>"),
  "a lock of no time": to("/new", "PUT", "", atom(description("<LockDuration>a while</LockDuration>"))),
  "a lock of a year": to("/new", "PUT", "", atom(description("<LockDuration>P1Y</LockDuration>"))),
  "a size below 0": to("/new", "PUT", "", atom(description("<MaxSizeInMegabytes>-1</MaxSizeInMegabytes>"))),
  "a boolean that is a number": to("/new", "PUT", "", atom(description("<RequiresSession>7</RequiresSession>"))),
};

const others: readonly (readonly [string, string, string])[] = [
  ["a body of 4 GiB", "POST /q/messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4294967296\r\n\r\n", "413"],
  ["a description of 2 MB", "PUT /new HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2000000\r\n\r\n", "413"],
  ["headers of 100 KB", to("/health", "GET", `A: ${"x".repeat(100_000)}\r\n`), "431"],
  ["3,000 headers", to("/health", "GET", Array.from({ length: 3000 }, (_, n) => `h${n}: 1\r\n`).join("")), "431"],
  ["a path of 3,000 characters", to(`/${"a".repeat(3000)}/messages`, "POST"), "414"],
  ["a path of 3,000 slashes", to("/".repeat(3000), "POST"), "405"],
  ["a body in gzip", post("Transfer-Encoding: gzip, chunked\r\n").replace(/Content-Length: 1\r\n/, ""), "501"],
  ["an expectation of magic", to("/health", "GET", "Expect: magic\r\n"), "417"],
  ["a method that there is not for health", to("/health", "TRACE"), "405"],
  ["a queue that is missing", post("", "a", "/missing/messages"), "404"],
  ["a way up to a queue", post("", "a", "/x/../q/messages"), "404"],
  ["an encoded way up to a queue", post("", "a", "/x/%2e%2e/q/messages"), "404"],
  ["a lock that nobody has", to("/q/messages/1/2f1c7e3a-7d0b-4a35-9a57-0d1f2b3c4d5e", "DELETE"), "404"],
  ["a lock that is no uuid", to("/q/messages/1/a", "DELETE"), "404"],
  ["a foreign page", to("/q/messages", "POST", "Origin: https://example.com\r\n"), "401"],
  ["a foreign host", "POST /q/messages HTTP/1.1\r\nHost: example.com\r\nContent-Length: 1\r\n\r\na", "401"],
];

/** Requests of HTTP/1.1 (RFC 9110, RFC 9112) and of the broker's own over it. */
export const httpCases: readonly HttpCase[] = [
  ...Object.entries(bad).map(([what, bytes]) => ({ what: `a request with ${what}`, bytes, status: "400" })),
  ...others.map(([what, bytes, status]) => ({ what: `a request with ${what}`, bytes, status })),
];

/** The wrong answers; the server takes at most 50 ms of this thread for each. */
export async function proveHttp(): Promise<readonly string[]> {
  await using server = await startServer({ queues: ["q"] });
  const wrong: string[] = [];
  for (const { what, bytes, status } of httpCases) {
    let least = Infinity;
    for (let turn = 0; turn < 3 && least >= 50; turn++) {
      const before = process.threadCpuUsage();
      const given = await statusOf(server, bytes);
      const { user, system } = process.threadCpuUsage(before);
      least = Math.min(least, (user + system) / 1000);
      if (given === status) continue;
      wrong.push(`${what}: ${given} instead of ${status}`);
      break;
    }
    if (least >= 50) wrong.push(`${what}: ${least} ms of processor time`);
  }
  return wrong;
}

async function statusOf(server: Server, bytes: string): Promise<string> {
  const socket = connect(server.port, "127.0.0.1");
  let text = "";
  socket.on("data", (chunk: Buffer) => {
    text += chunk.toString("latin1");
    socket.destroy();
  });
  socket.on("error", () => undefined);
  socket.write(bytes, "latin1");
  await once(socket, "close");
  return text.slice(9, 12);
}
