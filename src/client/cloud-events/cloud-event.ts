import { fromBase64 as bytesOfBase64 } from "../../core/host/node.ts";
import { toBase64 } from "../../core/values/base64.ts";
import { isObject } from "../../core/values/plain-object.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";

/**
 * A value of a CloudEvents attribute (CloudEvents 1.0.2, 3.1): Boolean, Integer, String and URI-reference, Binary, URI,
 * Timestamp. Integers are of 32 bits.
 */
export type CloudEventValue = boolean | number | string | Uint8Array | URL | Date;

/** The attribute types, for formats in which a value does not show its type, e.g. JSON and HTTP. */
export type CloudEventType = "boolean" | "integer" | "string" | "binary" | "uri" | "uri-reference" | "timestamp";

/** A CloudEvents 1.0 event; the data are bytes in the format `datacontenttype`. */
export interface CloudEvent {
  readonly id: string;
  /** A URI-reference. */
  readonly source: string;
  readonly type: string;
  readonly subject?: string | undefined;
  /** A `Date`, or an RFC 3339 string if more precise than milliseconds. */
  readonly time?: Date | string | undefined;
  readonly datacontenttype?: string | undefined;
  readonly dataschema?: string | undefined;
  /** Further attributes; their names are lower-case letters and digits. */
  readonly extensions?: Readonly<Record<string, CloudEventValue>> | undefined;
  readonly data?: Uint8Array | undefined;
}

/** How an event is encoded: attributes separate from the data, or all in one JSON document. */
export type CloudEventMode = "binary" | "structured";

/** The types of extension attributes whose values do not show them. */
export type CloudEventTypes = Readonly<Record<string, CloudEventType>>;

const attributeName = /^[a-z0-9]{1,64}$/;
const ownNames: ReadonlySet<string> = new Set([
  "specversion",
  "id",
  "source",
  "type",
  "subject",
  "time",
  "datacontenttype",
  "dataschema",
  "data",
  "data_base64",
]);

/**
 * The checked attributes of an event, in order; without the content type if that is sent separately.
 *
 * @throws SobreError `InvalidArgument` naming the attribute.
 */
export function attributesOf(event: CloudEvent): readonly (readonly [string, CloudEventValue])[] {
  checkMembers(event);
  const { id, source, type, subject, time, dataschema, datacontenttype, data, extensions = {} } = event;
  for (const [name, value] of Object.entries({ id, source, type })) checkText(name, value);
  for (const [name, value] of Object.entries({ subject, dataschema, datacontenttype })) {
    if (value !== undefined) checkText(name, value);
  }
  if (time !== undefined && !(time instanceof Date) && !isTimestamp(time)) {
    throw invalid("time", "must be a Date or an RFC 3339 string");
  }
  if (data !== undefined && !(data instanceof Uint8Array)) throw invalid("data", "must be a Uint8Array");
  if (!isObject(extensions)) {
    throw invalid("extensions", "must be an object of attributes");
  }
  const own = { specversion: "1.0", id, source, type, subject, time, dataschema };
  const attributes: (readonly [string, CloudEventValue])[] = [];
  for (const [name, value] of Object.entries(own)) if (value !== undefined) attributes.push([name, value]);
  for (const [name, value] of Object.entries(extensions)) {
    if (!attributeName.test(name) || ownNames.has(name)) {
      throw invalid(
        name,
        "must have a name of lower-case letters and digits that is not an attribute of the specification",
      );
    }
    attributes.push([name, value]);
  }
  for (const [name, value] of attributes) checkValue(name, value);
  return attributes;
}

const members: ReadonlySet<string> = new Set([...ownNames, "extensions"].filter((name) => name !== "data_base64"));

/** Other libraries put extensions next to the standard attributes; here they would be silently ignored. */
function checkMembers(event: unknown): void {
  if (typeof event !== "object" || event === null) {
    throw new SobreError("InvalidArgument", "A CloudEvent must be an object.", { path: "$" });
  }
  for (const [name, value] of Object.entries(event)) {
    if (value === undefined || (members.has(name) && (name !== "specversion" || value === "1.0"))) continue;
    throw invalid(
      name,
      name === "specversion" ? 'must be "1.0"' : "is not in the specification; put it into extensions",
    );
  }
}

function checkText(name: string, value: unknown): void {
  if (typeof value !== "string" || value === "") throw invalid(name, "must be a non-empty string");
}

function checkValue(name: string, value: unknown): void {
  if (typeof value === "boolean" || value instanceof Uint8Array || value instanceof URL) return;
  if (value instanceof Date && !Number.isNaN(value.getTime())) return;
  if (isInteger(value)) return;
  // Control characters and lone surrogates (CloudEvents 1.0.2, 3.1).
  if (typeof value === "string" && !/\p{Cc}|\p{Cs}/u.test(value)) return;
  throw invalid(
    name,
    "must be a boolean, a 32-bit integer, a string without control characters, a Uint8Array, a URL or a valid Date",
  );
}

/** Whether a value is an Integer of CloudEvents, of 32 bits. */
function isInteger(value: unknown): boolean {
  return typeof value === "number" && Number.isInteger(value) && Math.abs(value + 0.5) < 2 ** 31;
}

/** The canonical text of a value. */
export function textOfAttribute(value: CloudEventValue): string {
  if (value instanceof Uint8Array) return toBase64(value);
  if (value instanceof Date) return value.toISOString();
  return value instanceof URL ? value.href : String(value);
}

/**
 * Parses a value of a type.
 *
 * @throws SobreError `DecodeFailed` naming the attribute.
 */
export function valueOf(name: string, text: string, type: CloudEventType): CloudEventValue {
  switch (type) {
    case "boolean":
      if (text === "true" || text === "false") return text === "true";
      break;
    case "integer":
      if (/^-?\d{1,10}$/.test(text) && Math.abs(Number(text) + 0.5) < 2 ** 31) return Number(text);
      break;
    case "binary":
      return fromBase64(name, text);
    case "uri":
      if (URL.canParse(text)) return new URL(text);
      break;
    case "timestamp":
      if (isTimestamp(text)) return new Date(text);
      break;
    case "string":
    case "uri-reference":
      return text;
  }
  throw broken(`The CloudEvents attribute "${name}" is not a valid ${type}.`);
}

function isTimestamp(text: unknown): boolean {
  return typeof text === "string" && timestamp.test(text) && !Number.isNaN(Date.parse(text));
}

/** RFC 3339 section 5.6. */
const timestamp = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

/**
 * Assembles an event from its attributes.
 *
 * @throws SobreError `DecodeFailed` when a required one is missing, the version is not 1.0, or one is of the wrong
 * type.
 */
export function eventOf(
  attributes: ReadonlyMap<string, CloudEventValue>,
  content: Pick<CloudEvent, "data" | "datacontenttype">,
  types: CloudEventTypes,
): CloudEvent {
  const specversion = attributes.get("specversion");
  if (specversion !== "1.0") throw broken("The CloudEvents specversion is not 1.0.");
  const text = (name: string): string | undefined => {
    const value = attributes.get(name);
    // Optional attributes must not be empty (CloudEvents 1.0.2, 3.1), so an empty one counts as absent.
    return value === undefined || value === "" ? undefined : textOfAttribute(value);
  };
  const required = (name: string): string => {
    const value = text(name);
    if (value === undefined) throw broken(`The CloudEvents attribute "${name}" is missing.`);
    return value;
  };
  const extensions: Record<string, CloudEventValue> = {};
  for (const [name, value] of attributes) {
    if (ownNames.has(name) || !attributeName.test(name)) continue;
    if (typeof value === "number" && !isInteger(value))
      throw broken(`The CloudEvents attribute "${name}" is not an integer.`);
    const type = Object.hasOwn(types, name) ? types[name] : undefined;
    extensions[name] = typeof value === "string" && type !== undefined ? valueOf(name, value, type) : value;
  }
  const event = {
    id: required("id"),
    source: required("source"),
    type: required("type"),
    subject: text("subject"),
    time: timeOf(attributes.get("time")),
    dataschema: text("dataschema"),
    ...content,
    extensions: Object.keys(extensions).length === 0 ? undefined : extensions,
  };
  return event;
}

function timeOf(value: CloudEventValue | undefined): Date | string | undefined {
  if (value === undefined || value instanceof Date) return value;
  const text = textOfAttribute(value);
  const date = valueOf("time", text, "timestamp");
  const [, fraction = ""] = timestamp.exec(text) ?? [];
  return date instanceof Date && fraction.length <= 4 ? date : text;
}

/** @throws SobreError `DecodeFailed` naming the attribute. */
export function fromBase64(name: string, text: string): Uint8Array {
  try {
    return bytesOfBase64(text);
  } catch (cause) {
    throw broken(`The CloudEvents member "${name}" is not Base64.`, cause);
  }
}

function invalid(name: string, what: string): SobreError {
  return new SobreError("InvalidArgument", `The CloudEvents attribute "${name}" ${what}.`, { path: `$.${name}` });
}

/** The error of an event that violates the specification. */
export function broken(message: string, cause?: unknown): SobreError {
  return new SobreError("DecodeFailed", message, { cause });
}
