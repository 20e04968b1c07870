import { toBase64 } from "../../core/values/base64.ts";
import { isObject } from "../../core/values/plain-object.ts";
import {
  attributesOf,
  broken,
  type CloudEvent,
  type CloudEventTypes,
  type CloudEventValue,
  eventOf,
  fromBase64,
  textOfAttribute,
} from "./cloud-event.ts";

/** The content type of the JSON format. */
export const cloudEventJson = "application/cloudevents+json";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

/**
 * Writes an event in the JSON format (CloudEvents 1.0.2); JSON data are copied verbatim, other data as Base64.
 *
 * @throws SobreError `InvalidArgument` naming the attribute, or the data when they are declared as JSON but are not.
 */
export function cloudEventToJson(event: CloudEvent): Uint8Array {
  const members = attributesOf(event).map(([name, value]) => member(name, jsonOf(value)));
  const { data, datacontenttype } = event;
  if (datacontenttype !== undefined) members.push(member("datacontenttype", JSON.stringify(datacontenttype)));
  if (data !== undefined) {
    const text = isJson(datacontenttype) ? jsonText(data) : undefined;
    members.push(text === undefined ? member("data_base64", JSON.stringify(toBase64(data))) : member("data", text));
  }
  return encoder.encode(`{${members.join(",")}}`);
}

/**
 * Reads an event in the JSON format; JSON data are kept verbatim, including large integers.
 *
 * @throws SobreError `DecodeFailed` when it violates the format.
 */
export function cloudEventFromJson(bytes: Uint8Array, types: CloudEventTypes = {}): CloudEvent {
  const { text, members } = parse(bytes);
  const attributes = new Map<string, CloudEventValue>();
  for (const [name, value] of members) {
    if (name === "data" || name === "data_base64" || value === null) continue;
    if (typeof value !== "string" && typeof value !== "boolean" && typeof value !== "number") {
      throw broken(`The CloudEvents attribute "${name}" is not a simple value.`);
    }
    attributes.set(name, value);
  }
  const datacontenttype = attributes.get("datacontenttype");
  const contentType = typeof datacontenttype === "string" ? datacontenttype : undefined;
  const data = dataOf(text, members, contentType);
  return eventOf(attributes, { ...(data && { data }), ...(contentType && { datacontenttype: contentType }) }, types);
}

function dataOf(
  text: string,
  members: ReadonlyMap<string, unknown>,
  contentType: string | undefined,
): Uint8Array | undefined {
  const base64 = members.get("data_base64");
  if (members.has("data") && base64 !== undefined) throw broken("The CloudEvent has both data and data_base64.");
  if (typeof base64 === "string") return fromBase64("data_base64", base64);
  if (base64 !== undefined && base64 !== null) throw broken('The CloudEvents member "data_base64" is not a string.');
  if (!members.has("data")) return undefined;
  const data = members.get("data");
  if (typeof data === "string" && !isJson(contentType)) return encoder.encode(data);
  return encoder.encode(memberText(text, "data"));
}

/** Without a content type, data are JSON (CloudEvents 1.0.2, JSON format, 3.1). */
function isJson(contentType: string | undefined): boolean {
  return contentType === undefined || /^\s*[^/;]+\/(?:[^;]*\+)?json\s*(?:;|$)/i.test(contentType);
}

function jsonText(data: Uint8Array): string | undefined {
  try {
    const text = decoder.decode(data);
    JSON.parse(text);
    return text;
  } catch {
    // Data that are not of the declared type are still kept, as bytes.
    return undefined;
  }
}

function jsonOf(value: CloudEventValue): string {
  return JSON.stringify(typeof value === "boolean" || typeof value === "number" ? value : textOfAttribute(value));
}

const member = (name: string, json: string): string => `${JSON.stringify(name)}:${json}`;

function parse(bytes: Uint8Array): { readonly text: string; readonly members: ReadonlyMap<string, unknown> } {
  try {
    const text = decoder.decode(bytes);
    const value: unknown = JSON.parse(text);
    if (isObject(value)) {
      return { text, members: new Map(Object.entries(value)) };
    }
  } catch (cause) {
    throw broken("The structured CloudEvent is not JSON.", cause);
  }
  throw broken("The structured CloudEvent is not a JSON object.");
}

/** The source text of a member's value in valid JSON; of several with the same name, the last. */
function memberText(text: string, wanted: string): string {
  let found = "";
  let depth = 0;
  let name = "";
  let start = -1;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? "";
    if (character === '"') {
      const end = stringEnd(text, at);
      if (depth === 1 && start < 0) name = JSON.parse(text.slice(at, end + 1));
      at = end;
    } else if (character === ":" && depth === 1 && start < 0) start = at + 1;
    else if (character === "{" || character === "[") depth++;
    else if (character === "}" || character === "]") depth--;
    if ((character === "," && depth === 1) || depth === 0) {
      if (start >= 0 && name === wanted) found = text.slice(start, at).trim();
      if (character === "," || character === "}") start = -1;
    }
  }
  return found;
}

function stringEnd(text: string, quote: number): number {
  let at = quote + 1;
  while (text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at;
}
