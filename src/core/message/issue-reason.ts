import { memberAt } from "../values/patched-value.ts";
import { isObject } from "../values/plain-object.ts";
import { issuePath, jsonSchemaVendor, keyOf, type StandardIssue } from "./standard-schema.ts";

/** The maximum number of characters of a library's reason. */
const maxReasonLength = 200;

/** The maximum number of values below an issue's path that are looked for in its message. */
const maxValues = 100;

/**
 * Why a schema refuses a value, in the words of its library and without the value, which some libraries quote.
 *
 * @param body The value that the schema was given; the issue has a path into it.
 */
export function issueReason(issue: StandardIssue, vendor: string, body: unknown): string {
  // Our own messages quote the schema, never the value.
  if (vendor === jsonSchemaVendor) return issue.message;
  const value = (issue.path ?? []).reduce((at: unknown, segment) => memberAt(at, keyOf(segment)), body);
  const reason = withoutValues(libraryReason(issue, value).replaceAll(/\s+/g, " ").trim(), value);
  const cut = reason.length > maxReasonLength ? `${reason.slice(0, maxReasonLength)}…` : reason;
  return `is refused by ${vendor}${cut === "" ? "" : `: ${cut}`}`;
}

/** The message of the library, without the part in which it says what it received. */
function libraryReason(issue: StandardIssue, value: unknown): string {
  const received = textIn(issue, "received");
  if (received !== undefined) return withoutReceived(issue, received, value);
  const actual = textIn(issue, "actual");
  const path = `${issuePath(issue).replace(/^\$\.?/, "")} `;
  const whole = textIn(issue, "problem") ?? issue.message;
  // Messages of arktype begin with the path, which is in ours already.
  const message = path !== " " && whole.startsWith(path) ? whole.slice(path.length) : whole;
  return actual === undefined || namesType.test(actual) ? message : message.replaceAll(` (was ${actual})`, "");
}

/** Types as libraries write them after "received". */
const namesType = /^(?:an? [a-z ]+|missing|undefined|null|NaN|[A-Z][a-z]+)$/;

/** Valibot ends its messages with the value, or its type if it is an object. */
function withoutReceived(issue: StandardIssue, received: string, value: unknown): string {
  const { message } = issue;
  if (namesType.test(received)) return message;
  for (const ending of [` but received ${received}`, `: Received ${received}`]) {
    if (!message.endsWith(ending)) continue;
    const before = message.slice(0, -ending.length);
    return textIn(issue, "kind") === "schema" ? `${before} but received ${typeOf(value)}` : before;
  }
  return message;
}

function textIn(issue: StandardIssue, member: string): string | undefined {
  const text: unknown = Reflect.get(issue, member);
  return typeof text === "string" && text !== "" ? text : undefined;
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** Names of types, which are words of the message itself. */
const typeNames: ReadonlySet<string> = new Set(
  "string number bigint boolean object array date null undefined".split(" "),
);

/** A message, with an ellipsis for each value that it quotes of those at and below its path. */
function withoutValues(message: string, value: unknown): string {
  let left = message;
  for (const text of textsIn(value, message.length)) {
    // Short texts are words of the message itself, unless they are quoted.
    const isWord = (text.length < 3 && !/\d/.test(text)) || typeNames.has(text.toLowerCase());
    left = left
      .split(text)
      .reduce((before, after) => `${before}${isQuote(before, after, isWord) ? "…" : text}${after}`);
  }
  return left;
}

/** Whether a text between these two is the value, and not a part of a word or a bound of the schema. */
function isQuote(before: string, after: string, isWord: boolean): boolean {
  if (/["'`]$/.test(before) && /^["'`]/.test(after)) return true;
  return !isWord && !/[\w.<>=≤≥-]$/.test(before) && !/^\w/.test(after);
}

/** How a message of this length can write the texts, numbers and times at and below a value. */
function textsIn(value: unknown, length: number): ReadonlySet<string> {
  const texts = new Set<string>();
  const open: unknown[] = [value];
  const add = (text: string): void => {
    if (text.length <= length && text.trim() !== "") texts.add(text.replaceAll(/\s+/g, " ").trim());
  };
  for (let looked = 0; open.length > 0 && looked < maxValues; looked++) {
    const one = open.pop();
    if (typeof one === "number" || typeof one === "bigint") add(String(one));
    else if (typeof one === "string" || one instanceof Date) {
      if (typeof one === "string" && one.length > length) continue;
      add(String(one));
      add(JSON.stringify(one).slice(1, -1));
    } else if (Array.isArray(one)) open.push(...one.slice(0, maxValues));
    else if (isObject(one)) open.push(...Object.values(one).slice(0, maxValues));
  }
  return texts;
}
