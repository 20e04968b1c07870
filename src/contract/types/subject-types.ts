import { SchemaDocument, type SchemaNode } from "../json-schema/schema-document.ts";
import { openProtobufSchema } from "../protobuf/schema.ts";
import type { ComparedMessage } from "../protobuf/shape.ts";
import type { Subject } from "../subjects/subject.ts";
import { majorOf, type SubjectVersion } from "../subjects/subject-version.ts";
import { keyOf, JsonSchemaTypes } from "./json-schema-types.ts";
import { typeOfMessage } from "./protobuf-types.ts";
import { type Expression, named, or, writeComment, writeType } from "./type-expression.ts";

/**
 * A TypeScript module with the types of subjects: one for each major, by its greatest minor, and one for the latest. It
 * also registers them, for `readMessageType` and `messageTypeFromFiles`.
 *
 * @throws SobreError `InvalidArgument` for a schema that cannot be read.
 */
export function typesModule(subjects: readonly Subject[]): string {
  const names = new Names();
  const latest = subjects
    .filter(({ versions }) => versions.length > 0)
    .map((subject) => ({ subject, name: names.take(pascal(subject.name)) }));
  const lanes = latest.flatMap(({ subject, name }) =>
    newestOfMajors(subject).map((version) => ({
      subject,
      version,
      name: names.take(`${name}V${majorOf(version.version)}`),
      latest: name,
    })),
  );
  const declarations = lanes.flatMap(({ subject, version, name, latest: newest }) => [
    ...declarationsOf(version, { name, title: `${subject.name} ${version.version}`, names }),
    ...(version === subject.versions.at(-1) ? [`export type ${newest} = ${name};\n`] : []),
  ]);
  const bodies = latest
    .filter(({ subject }) => subject.versions.at(-1)?.format === "json-schema")
    .map(({ subject, name }) => `    readonly ${JSON.stringify(subject.name)}: ${name};\n`);
  const first = "// Written by `sobre contract types`. Edit the schemas instead.\n";
  if (bodies.length === 0) return [first, ...declarations].join("\n");
  // Unless something is imported, the compiler does not load the module that is added to.
  const imported = `${first}export type { SubjectBodies } from "sobre/message";\n`;
  const registered = `declare module "sobre/message" {\n  interface SubjectBodies {\n${bodies.join("")}  }\n}\n`;
  return [imported, ...declarations, registered].join("\n");
}

function newestOfMajors({ versions }: Subject): readonly SubjectVersion[] {
  return versions.filter((version, at) => {
    const next = versions[at + 1];
    return next === undefined || majorOf(next.version) !== majorOf(version.version);
  });
}

/** Where declarations go, and what they are named. */
interface Declaring {
  readonly name: string;
  /** The subject and version, for editors. */
  readonly title: string;
  readonly names: Names;
}

function declarationsOf(version: SubjectVersion, declaring: Declaring): readonly string[] {
  return version.format === "protobuf" ? messageTypes(version, declaring) : schemaTypes(version, declaring);
}

function schemaTypes({ schema, file }: SubjectVersion, { name, title, names }: Declaring): readonly string[] {
  const { root } = new SchemaDocument(schema, file);
  const known = new Map([[keyOf(root), name]]);
  const open: (readonly [name: string, node: SchemaNode])[] = [[name, root]];
  const types = new JsonSchemaTypes((node) => {
    const own = known.get(keyOf(node));
    if (own !== undefined) return own;
    const made = names.take(`${name}${pascal(lastStep(node))}`);
    known.set(keyOf(node), made);
    open.push([made, node]);
    return made;
  });
  const declarations: string[] = [];
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    const [own, node] = next;
    declarations.push(declared(own, types.typeOf(node), node === root ? title : undefined));
  }
  return declarations;
}

function lastStep({ pointer, document }: SchemaNode): string {
  return pointer === "" ? document.name.replace(/^.*\//, "") : pointer.replace(/^.*\//, "");
}

function messageTypes({ schema }: SubjectVersion, { name, title, names }: Declaring): readonly string[] {
  const { messages, bundled } = openProtobufSchema(schema);
  const known = new Map<ComparedMessage, string>();
  const open: ComparedMessage[] = [];
  const nameOf = (message: ComparedMessage): string => {
    const own = known.get(message);
    if (own !== undefined) return own;
    const made = names.take(`${name}${pascal(message.name.replace(/^([a-z_][\w]*\.)+/, ""))}`);
    known.set(message, made);
    open.push(message);
    return made;
  };
  const roots = rootsOf(Array.from(messages.values()).filter((message) => !bundled.has(message.name)));
  const declarations = [declared(name, or(...roots.map((message) => named(nameOf(message)))), title)];
  for (let message = open.shift(); message !== undefined; message = open.shift())
    declarations.push(declared(nameOf(message), typeOfMessage(message, nameOf), message.name));
  return declarations;
}

/** The messages that no other one contains; all of them when each is contained. */
function rootsOf(messages: readonly ComparedMessage[]): readonly ComparedMessage[] {
  const inner = new Set(
    messages.flatMap((message) => message.fields.flatMap(({ message: of }) => (of === message ? [] : (of ?? [])))),
  );
  const roots = messages.filter((message) => !inner.has(message));
  return roots.length === 0 ? messages : roots;
}

function declared(name: string, type: Expression, title: string | undefined): string {
  return `${writeComment(title, "")}export type ${name} = ${writeType(type)};\n`;
}

/** Hands out names, each once. */
class Names {
  readonly #taken = new Set<string>();

  take(wanted: string): string {
    let name = wanted;
    for (let count = 2; this.#taken.has(name); count++) name = `${wanted}_${count}`;
    this.#taken.add(name);
    return name;
  }
}

/** A text as the name of a type: `orders.placed` as `OrdersPlaced`. */
function pascal(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
  const joined = words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("");
  return /^\p{L}/u.test(joined) ? joined : `T${joined}`;
}
