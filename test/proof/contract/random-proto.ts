import type { Random } from "../engine/random.ts";

/** A field of a random message. */
export interface ProtoField {
  readonly number: number;
  readonly name: string;
  readonly kind: string;
  readonly label: "one" | "optional" | "many" | "map";
  readonly isInOneof: boolean;
}

/** A random file: the fields of two messages, the values of an enum, and what is reserved of the first message. */
export interface ProtoFile {
  readonly outer: readonly ProtoField[];
  readonly inner: readonly ProtoField[];
  readonly values: readonly (readonly [string, number])[];
  readonly reserved: readonly ProtoField[];
}

const kinds =
  "int32 int64 uint32 uint64 sint32 sint64 fixed32 fixed64 sfixed32 sfixed64 bool string bytes double float E Inner".split(
    " ",
  );

/** Makes .proto files of two messages and an enum, changes to them, and values of them. */
export class RandomProto {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  file(): ProtoFile {
    const fields = (): readonly ProtoField[] =>
      Array.from({ length: 1 + this.#random.below(4) }, (_, at) => this.#field(at + 1));
    return {
      outer: fields(),
      inner: fields(),
      values: [
        ["E_ZERO", 0],
        ["E_ONE", 1],
        ["E_TWO", 2],
      ],
      reserved: [],
    };
  }

  /** The file with one or two changes of the kinds that people make. */
  changed(file: ProtoFile): ProtoFile {
    const once = this.#change(file);
    return this.#random.chance(40) ? this.#change(once) : once;
  }

  #change(file: ProtoFile): ProtoFile {
    const random = this.#random;
    const side = random.chance(60) ? "outer" : "inner";
    const fields = file[side];
    const at = random.below(Math.max(1, fields.length));
    const field = fields[at];
    if (field === undefined || random.chance(15))
      return {
        ...file,
        [side]: [...fields, this.#field(10 + random.below(5) * 2 + (side === "outer" ? 0 : 1))].filter(isFirst),
      };
    const replaced = (part: Partial<ProtoField>): ProtoFile => ({
      ...file,
      [side]: fields.with(at, { ...field, ...part }),
    });
    switch (random.below(7)) {
      case 0:
      case 1:
        return replaced({ kind: field.label === "map" ? this.#plainKind() : (random.pick(kinds) ?? "int32") });
      case 2:
        return replaced({ label: field.isInOneof ? "one" : this.#label() });
      case 3:
        return replaced({ name: `${field.name}_again` });
      case 4: {
        const without = { ...file, [side]: fields.toSpliced(at, 1) };
        return side === "outer" && random.chance(70) ? { ...without, reserved: [...file.reserved, field] } : without;
      }
      case 5:
        return field.label === "one" ? replaced({ isInOneof: !field.isInOneof }) : replaced({ label: "one" });
      default:
        return {
          ...file,
          values: random.chance(50) ? [...file.values.slice(0, 3), ["E_MORE", 7]] : file.values.slice(0, 2),
        };
    }
  }

  #field(number: number): ProtoField {
    const label = this.#label();
    const kind = label === "map" ? this.#plainKind() : (this.#random.pick(kinds) ?? "int32");
    return { number, name: `f${number}`, kind, label, isInOneof: label === "one" && this.#random.chance(20) };
  }

  #plainKind(): string {
    return this.#random.pick(["int32", "string", "E", "bytes"]) ?? "int32";
  }

  #label(): ProtoField["label"] {
    return this.#random.pick(["one", "one", "one", "optional", "many", "map"] as const) ?? "one";
  }

  /** A value of a message in the plain objects of protobufjs. */
  value(file: ProtoFile, side: "outer" | "inner", depth = 0): Readonly<Record<string, unknown>> {
    const random = this.#random;
    let isOneofSet = false;
    const entries = file[side].flatMap((field): readonly (readonly [string, unknown])[] => {
      if (random.chance(30) || (field.isInOneof && isOneofSet) || (field.kind === "Inner" && depth > 2)) return [];
      if (field.isInOneof) isOneofSet = true;
      const one = (): unknown =>
        field.kind === "Inner" ? this.value(file, "inner", depth + 1) : this.#scalar(field.kind, file);
      if (field.label === "many") return [[field.name, Array.from({ length: random.below(4) }, one)]];
      return [[field.name, field.label === "map" ? { a: one(), b: one() } : one()]];
    });
    return Object.fromEntries(entries);
  }

  #scalar(kind: string, { values }: ProtoFile): unknown {
    const random = this.#random;
    switch (kind) {
      case "bool":
        return random.chance(50);
      case "string":
        return random.pick(["", "a", "é", "long text", "1"]);
      case "bytes":
        return random.pick(["", "/w==", "YQ==", "w6k="]);
      case "double":
      case "float":
        return random.pick([0, 1, -1.5, 0.25]);
      case "E":
        return random.pick([...values.map(([, number]) => number), 0, 99]);
      case "uint64":
      case "fixed64":
        return random.pick(["0", "1", "4294967296", "18446744073709551615"]);
      case "int64":
      case "sint64":
      case "sfixed64":
        return random.pick(["0", "1", "-1", "4294967296", "-9223372036854775808"]);
      case "uint32":
      case "fixed32":
        return random.pick([0, 1, 2_147_483_648, 4_294_967_295]);
      default:
        return random.pick([0, 1, -1, 2_147_483_647, -2_147_483_648]);
    }
  }
}

function isFirst({ number }: ProtoField, at: number, fields: readonly ProtoField[]): boolean {
  return fields.findIndex((other) => other.number === number) === at;
}

/** The text of the file. */
export function protoText({ outer, inner, values, reserved }: ProtoFile): string {
  const numbers = reserved.map(({ number }) => `reserved ${number};`).join(" ");
  const names = reserved.map(({ name }) => `reserved "${name}";`).join(" ");
  const listed = values.map(([name, number]) => `${name} = ${number};`).join(" ");
  return `syntax = "proto3";
package p;
enum E { ${listed} }
message Inner { ${bodyOf(inner)} }
message Outer { ${numbers} ${names} ${bodyOf(outer)} }
`;
}

function bodyOf(fields: readonly ProtoField[]): string {
  const line = ({ label, kind, name, number }: ProtoField): string => {
    if (label === "map") return `map<string, ${kind}> ${name} = ${number};`;
    return `${{ one: "", optional: "optional ", many: "repeated " }[label]}${kind} ${name} = ${number};`;
  };
  const inOneof = fields.filter(({ isInOneof }) => isInOneof);
  const others = fields.filter(({ isInOneof }) => !isInOneof).map(line);
  return [...others, ...(inOneof.length === 0 ? [] : [`oneof o { ${inOneof.map(line).join(" ")} }`])].join(" ");
}
