import type { RepairInit, StoryAnswer } from "../api.ts";
import { bytesOf, prettyJson } from "./text.ts";

/** A message as a person edits it. */
export interface RepairDraft {
  readonly contentType: string;
  /** Whether `text` is the body as JSON, the payload as text, or absent, since its bytes are not text. */
  readonly kind: "body" | "text" | "bytes";
  readonly text: string;
  /** The application properties as JSON. */
  readonly properties: string;
}

/** Larger payloads are not edited. */
const maxBytes = 64 * 1024;

/** The draft of an unchanged message. */
export function draftOf(story: StoryAnswer): RepairDraft {
  const { verdict, brokerProperties, applicationProperties, payload, row } = story;
  const { contentType } = brokerProperties;
  const common = {
    contentType: typeof contentType === "string" ? contentType : "",
    properties: prettyJson(applicationProperties),
  };
  if (verdict.body !== undefined) return { ...common, kind: "body", text: prettyJson(verdict.body) };
  const text = row.sizeInBytes <= maxBytes ? textIn(bytesOf(payload ?? "")) : undefined;
  return text === undefined
    ? { ...common, kind: "bytes", text: "(bytes that are not text)" }
    : { ...common, kind: "text", text };
}

/** The changes from one draft to another, or why the draft cannot be sent. */
export function repairOf(before: RepairDraft, draft: RepairDraft): RepairInit | string {
  const own = { ...(draft.contentType !== before.contentType && broker(draft.contentType)) };
  const properties =
    draft.properties === before.properties ? {} : changedProperties(before.properties, draft.properties);
  if (typeof properties === "string") return properties;
  if (draft.text === before.text) return { ...own, ...properties };
  if (draft.kind === "text") return { ...own, ...properties, text: draft.text };
  const body = parsed(draft.text);
  return body === undefined ? "The body is not JSON yet." : { ...own, ...properties, body: body.value };
}

/** A draft as text, to compare with another. */
export const textOfDraft = ({ contentType, text, properties }: RepairDraft): string =>
  `content type: ${contentType}\n${properties}\n${text}`;

const broker = (contentType: string): RepairInit => ({
  brokerProperties: { contentType: contentType.trim() === "" ? null : contentType.trim() },
});

function changedProperties(before: string, after: string): RepairInit | string {
  const changed = parsed(after)?.value;
  if (typeof changed !== "object" || changed === null || Array.isArray(changed))
    return "The application properties are not a JSON object yet.";
  const old: unknown = parsed(before)?.value;
  const removed = Object.keys(Object(old)).filter((name) => !Object.hasOwn(changed, name));
  return { applicationProperties: { ...changed, ...Object.fromEntries(removed.map((name) => [name, null])) } };
}

function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function textIn(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    // oxlint-disable-next-line no-control-regex -- bytes that a field of text would lose
    return /[\u0000-\u0008\u000b-\u001f\ufffe]/.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}
