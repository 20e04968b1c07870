import { SobreError } from "../../core/errors/sobre-error.ts";
import { isObject } from "../json-schema/json-value.ts";
import { JsonService, type JsonServiceOptions } from "./json-service.ts";

/** The compatibility modes of a registry, by their known names. */
const registryModes = [
  "BACKWARD",
  "BACKWARD_TRANSITIVE",
  "FORWARD",
  "FORWARD_TRANSITIVE",
  "FULL",
  "FULL_TRANSITIVE",
  "NONE",
] as const;

/** One of these modes. */
export type RegistryMode = (typeof registryModes)[number];

/** A schema as the registry has it. */
export interface RegisteredSchema {
  readonly subject: string;
  readonly version: number;
  readonly format: "json-schema" | "protobuf";
  readonly text: string;
  /** The texts of what it refers to, directly or not, by the names under which it does. */
  readonly references: ReadonlyMap<string, string>;
}

/** A name under which a schema refers to a version of another subject. */
interface SchemaReference {
  readonly name: string;
  readonly subject: string;
  readonly version: number;
}

/** The maximum number of schemas that one schema may refer to, directly or not. */
const maxReferences = 200;

/** A client of registries that speak the REST interface of Confluent's, for JSON Schema and Protobuf. */
export class SchemaRegistry {
  readonly #service: JsonService;

  /** @throws SobreError `InvalidArgument` for a wrong URL. */
  constructor(options: JsonServiceOptions) {
    this.#service = new JsonService(options);
  }

  /** The registry's URL, without user and password. */
  get shown(): string {
    return this.#service.shown;
  }

  /** @throws SobreError as {@link JsonService.ask} does, here and below. */
  async subjects(): Promise<readonly string[]> {
    return this.#listOf("/subjects", (item) => (typeof item === "string" ? item : undefined));
  }

  async versions(subject: string): Promise<readonly number[]> {
    const path = `/subjects/${encodeURIComponent(subject)}/versions`;
    const found = await this.#listOf(path, (item) => (isVersion(item) ? item : undefined));
    return found.toSorted((a, b) => a - b);
  }

  /** @throws SobreError `InvalidArgument` for a schema of Avro, or of another format that is not supported. */
  async schema(subject: string, version: number): Promise<RegisteredSchema> {
    const path = `/subjects/${encodeURIComponent(subject)}/versions/${version}`;
    const { json } = await this.#service.ask(path);
    const read = this.#schemaIn(json, path);
    const references = new Map<string, string>();
    const seen = new Set([`${subject} ${version}`]);
    const open = [...read.references];
    for (let next = open.shift(); next !== undefined; next = open.shift()) {
      const place = `/subjects/${encodeURIComponent(next.subject)}/versions/${next.version}`;
      const part = seen.has(`${next.name} ${place}`)
        ? undefined
        : this.#schemaIn((await this.#service.ask(place)).json, place);
      seen.add(`${next.name} ${place}`);
      if (part === undefined) continue;
      const known = references.get(next.name);
      if (known !== undefined && known !== part.text)
        throw new SobreError(
          "InvalidArgument",
          `${subject} ${version} refers to two versions of ${JSON.stringify(next.name)}. Register it with one.`,
        );
      if (references.size >= maxReferences)
        throw new SobreError("LimitExceeded", `${subject} ${version} refers to more than ${maxReferences} schemas.`);
      references.set(next.name, part.text);
      open.push(...part.references);
    }
    return { subject, version, format: read.format, text: read.text, references };
  }

  /** The subjects and versions that have the schema with an id. */
  async byId(id: number): Promise<readonly { readonly subject: string; readonly version: number }[]> {
    return this.#listOf(`/schemas/ids/${id}/versions`, (item) =>
      isObject(item) && typeof item["subject"] === "string" && isVersion(item["version"])
        ? { subject: item["subject"], version: item["version"] }
        : undefined,
    );
  }

  /** The mode of a subject, or of all. @throws SobreError `InvalidArgument` for one of another name. */
  async mode(subject: string): Promise<RegistryMode> {
    const path = `/config/${encodeURIComponent(subject)}?defaultToGlobal=true`;
    const { json } = await this.#service.ask(path).catch((error: unknown) => {
      // A registry that does not know the parameter has no setting for the subject.
      if (error instanceof SobreError && error.code === "MessagingEntityNotFound") return this.#service.ask("/config");
      throw error;
    });
    const name: unknown = isObject(json) ? (json["compatibilityLevel"] ?? json["compatibility"]) : undefined;
    const mode = registryModes.find((one) => one === name);
    if (mode !== undefined) return mode;
    throw new SobreError(
      "InvalidArgument",
      `${this.shown} has a compatibility mode for ${subject} that is not known. Expected one of: ${registryModes.join(", ")}.`,
    );
  }

  /** The registry's own answer to whether a schema may follow a version; `undefined` if it gives none. */
  async isCompatible(
    { subject, version }: Pick<RegisteredSchema, "subject" | "version">,
    { format, text }: Pick<RegisteredSchema, "format" | "text">,
  ): Promise<boolean | undefined> {
    const path = `/compatibility/subjects/${encodeURIComponent(subject)}/versions/${version}`;
    const body = { schema: text, schemaType: format === "protobuf" ? "PROTOBUF" : "JSON" };
    try {
      const { json } = await this.#service.ask(path, { method: "POST", body });
      const said: unknown = isObject(json) ? json["is_compatible"] : undefined;
      return typeof said === "boolean" ? said : undefined;
    } catch (error) {
      const isUnsaid =
        error instanceof SobreError && ["InvalidArgument", "MessagingEntityNotFound"].includes(error.code);
      if (isUnsaid) return undefined;
      throw error;
    }
  }

  async #listOf<Item>(path: string, read: (item: unknown) => Item | undefined): Promise<readonly Item[]> {
    const { json } = await this.#service.ask(path);
    const items = Array.isArray(json) ? json.map(read) : [undefined];
    if (items.every((item) => item !== undefined)) return items;
    throw this.#unexpected(path);
  }

  #schemaIn(
    json: unknown,
    path: string,
  ): Pick<RegisteredSchema, "format" | "text"> & {
    readonly references: readonly SchemaReference[];
  } {
    if (!isObject(json) || typeof json["schema"] !== "string") throw this.#unexpected(path);
    const { schema: text, schemaType = "AVRO", references = [] } = json;
    const format = schemaType === "JSON" ? "json-schema" : schemaType === "PROTOBUF" ? "protobuf" : undefined;
    if (format === undefined)
      throw new SobreError(
        "InvalidArgument",
        `${this.shown}${path} is a schema of ${schemaType === "AVRO" ? "Avro" : "another format"}, which is not supported. Expected JSON or PROTOBUF.`,
      );
    const read = Array.isArray(references) ? references.map(referenceIn) : [undefined];
    if (!read.every((one) => one !== undefined)) throw this.#unexpected(path);
    return { format, text, references: read };
  }

  #unexpected(path: string): SobreError {
    return new SobreError(
      "DecodeFailed",
      `${this.shown}${path} has not answered as a schema registry does. Check the URL.`,
    );
  }
}

function referenceIn(item: unknown): SchemaReference | undefined {
  if (!isObject(item)) return undefined;
  const { name, subject, version } = item;
  return typeof name === "string" && typeof subject === "string" && isVersion(version)
    ? { name, subject, version }
    : undefined;
}

function isVersion(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0;
}
