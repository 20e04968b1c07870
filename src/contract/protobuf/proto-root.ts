import { SobreError } from "../../core/errors/sobre-error.ts";
import { importsOf, knownImport, wellKnownText } from "../../core/protobuf/known-imports.ts";
import { Namespace, parse, Root, withFieldIndex } from "../../core/protobuf/protobufjs.ts";

/**
 * The root of .proto texts that import each other by name; `bundled` receives the names of messages and enums in files that need
 * not be given.
 *
 * @throws SobreError `InvalidArgument` naming the imports that are missing, and what protobufjs throws.
 */
export function readRoot(files: Readonly<Record<string, unknown>>, bundled: Set<string>): Root {
  const root = new Root();
  const missing = new Set<string>();
  const done = new Set<string>();
  const add = (file: string): void => {
    if (done.has(file)) return;
    done.add(file);
    const own =
      Object.keys(files).find((name) => name === file) ?? Object.keys(files).find((name) => name.endsWith(`/${file}`));
    const text = own === undefined ? wellKnownText(file) : files[own];
    if (typeof text === "string") {
      if (maxFieldsOf(text) > maxFields)
        throw new SobreError(
          "LimitExceeded",
          `A message of ${file} has more than ${maxFields} fields, which takes too long to compare.`,
        );
      done.add(own ?? file);
      // A file must follow the files that it extends.
      for (const name of importsOf(text)) add(name);
      withFieldIndex(() => parse(withExactDefaults(text), root, { keepCase: true }));
      if (own === undefined) addNames(parse(text, new Root()).root);
    } else {
      const known = knownImport(file);
      if (known === undefined) missing.add(file);
      else {
        root.addJSON(known);
        addNames(Root.fromJSON({ nested: known }));
      }
    }
  };
  const addNames = (added: Namespace): void => {
    for (const child of added.nestedArray) {
      bundled.add(child.fullName.replace(/^\./, ""));
      if (child instanceof Namespace) addNames(child);
    }
  };
  for (const file of Object.keys(files)) add(file);
  try {
    root.resolveAll();
  } catch (error) {
    // A missing import that only defines options does no harm.
    if (missing.size === 0) throw error;
    const names = Array.from(missing, (name) => JSON.stringify(name)).join(", ");
    throw new SobreError(
      "InvalidArgument",
      `Imported but missing: ${names}. Put them into the folder imports next to the subjects, or pass them with the other files.`,
      {
        cause: error,
      },
    );
  }
  return root;
}

/** The maximum number of fields of one message; the parser of protobufjs takes quadratic time. */
const maxFields = 4000;

/** The option that repeats, as text, a default beyond 2^53. */
export const exactDefault = "(sobre.exact_default)";

/** Repeats defaults beyond 2^53 as text, since protobufjs reads them as the nearest double. */
function withExactDefaults(text: string): string {
  return text.replaceAll(
    /\bdefault\s*=\s*(-?)(0x[0-9a-f]{13,40}|[1-9]\d{15,40}|0[0-7]{17,40})(?=\s*[\],])/gi,
    (all, sign: string, digits: string) =>
      `${all}, ${exactDefault} = "${sign}${BigInt(/^0[0-7]/.test(digits) ? `0o${digits.slice(1)}` : digits)}"`,
  );
}

const ignored = /\/\*[^]*?(?:\*\/|$)|\/\/[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g;
const countedToken = /\b(?:enum|oneof)\b|[{};]|=\s*\w+\s*(?=[;[])/g;

/** The greatest number of fields of any message in a .proto text; fields in oneofs count for the message. */
export function maxFieldsOf(text: string): number {
  const blocks = [{ kind: "", fields: 0 }];
  let kind = "";
  let most = 0;
  for (const [token] of text.replaceAll(ignored, " ").matchAll(countedToken)) {
    const block = blocks.at(-1);
    if (token === "{") {
      blocks.push({ kind, fields: 0 });
      kind = "";
    } else if (token === "}") {
      const closed = blocks.length > 1 ? blocks.pop() : undefined;
      const holder = blocks.at(-1);
      if (closed?.kind === "oneof" && holder !== undefined) holder.fields += closed.fields;
      if (closed?.kind !== "enum") most = Math.max(most, closed?.fields ?? 0, holder?.fields ?? 0);
    } else if (token === "enum" || token === "oneof") kind = token;
    else if (token === ";") kind = "";
    else if (block !== undefined) block.fields++;
  }
  return most;
}
