import { decodedToken } from "../exchange/asyncapi-document.ts";
import { yamlOffset } from "../sources/yaml.ts";
import type { SubjectVersion } from "../subjects/subject-version.ts";
import { protoDeclarations } from "./proto-declarations.ts";

/** A line and a column, from 1. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/** Where a finding's pointer leads: in the file of a version, or in one that it refers to. */
export function placeInVersion(
  { file, text, parts, format }: Pick<SubjectVersion, "file" | "text" | "parts" | "format">,
  pointer: string,
): { readonly file: string; readonly place: TextPlace } {
  if (format === "protobuf") {
    const holder = [{ file, text }, ...parts].find((one) => protoDeclarations(one.text).has(pointer));
    return { file: holder?.file ?? file, place: placeInText(holder?.text ?? text, pointer) };
  }
  const [, container, token = "", inner = ""] = /^#\/(\$defs|definitions)\/([^/]+)(.*)$/s.exec(pointer) ?? [];
  const part = container === undefined ? undefined : parts.find((one) => one.file === decodedToken(token));
  const [holder, path] = part === undefined ? [{ file, text }, pointer] : [part, `#${inner}`];
  const isYaml = /\.ya?ml$/i.test(holder.file);
  return { file: holder.file, place: placeInText(holder.text, path, isYaml ? "yaml" : "json") };
}

/** Where a pointer leads in the text of a schema: a JSON Pointer, or a full Protobuf name. */
export function placeInText(text: string, pointer: string, syntax: "json" | "yaml" = "json"): TextPlace {
  const offset = pointer.startsWith("#")
    ? syntax === "yaml"
      ? yamlOffset(text, pointer.split("/").slice(1).map(decodedToken))
      : jsonOffset(text, pointer.slice(1))
    : protoOffset(text, pointer);
  const before = text.slice(0, offset);
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
}

/** The declaration of the name, or else of the innermost enclosing one that exists. */
function protoOffset(text: string, name: string): number {
  const declared = protoDeclarations(text);
  for (let inner = name; inner !== ""; inner = inner.slice(0, Math.max(0, inner.lastIndexOf(".")))) {
    const offset = declared.get(inner);
    if (offset !== undefined) return offset;
  }
  return 0;
}

/** Walks the tokens of valid JSON; if the pointer leads nowhere, its last existing part counts. */
function jsonOffset(text: string, pointer: string): number {
  const wanted = pointer
    .split("/")
    .slice(1)
    .map((token) => decodedToken(token));
  const tokens = Array.from(text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g), ({ 0: symbol, index }) => ({
    symbol,
    index,
  }));
  let at = 0;
  let offset = tokens[0]?.index ?? 0;
  const skip = (): void => {
    let depth = 0;
    do {
      const symbol = tokens[at++]?.symbol;
      if (symbol === "{" || symbol === "[") depth++;
      if (symbol === "}" || symbol === "]") depth--;
    } while (depth > 0 && at < tokens.length);
  };
  for (const step of wanted) {
    const open = tokens[at]?.symbol;
    if (open !== "{" && open !== "[") return offset;
    at++;
    let index = 0;
    let found = false;
    while (at < tokens.length && tokens[at]?.symbol !== "}" && tokens[at]?.symbol !== "]") {
      const name = open === "{" ? String(JSON.parse(tokens[at]?.symbol ?? '""')) : String(index);
      const start = tokens[at]?.index ?? offset;
      if (open === "{") at += 2;
      if (name === step) {
        offset = start;
        found = true;
        break;
      }
      skip();
      if (tokens[at]?.symbol === ",") at++;
      index++;
    }
    if (!found) return offset;
  }
  return offset;
}
