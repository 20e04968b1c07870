import { common, type INamespace } from "./protobufjs.ts";

/**
 * The types of a file of `google/protobuf/` that every parser knows: the well-known types, and as much of the descriptors as
 * custom options extend. `undefined` for any other file.
 */
export function knownImport(file: string): NonNullable<INamespace["nested"]> | undefined {
  return /^google\/protobuf\/(descriptor|\w+_features)\.proto$/.test(file) ? options : common.get(file)?.nested;
}

/**
 * The text of a file that protobufjs lacks, though others have it without being given it: protoc those of `google/protobuf/`,
 * schema registries like Confluent's those of `confluent/`. `undefined` for any other file.
 */
export function wellKnownText(file: string): string | undefined {
  const [imports, types] = further.get(file) ?? [];
  if (types === undefined) return undefined;
  const packageName = file.slice(0, file.lastIndexOf("/")).replaceAll("/", ".");
  return `syntax = "proto3"; package ${packageName};\n${imports}\n${types}`;
}

/** The files that another file imports, in its order. */
export function importsOf(text: string): readonly string[] {
  return Array.from(text.matchAll(importStatement), ([, name = ""]) => name);
}

/** Blanks are taken by one part of the pattern each, so that a text of only blanks takes no longer than any other. */
const importStatement = /(?:^[ \t]*|;\s*)import\s+(?:(?:public|weak|option)\s+)?["']([^"']+)["']\s*(?=;)/gm;

const optionsMessage = { fields: {}, extensions: [[1000, 536_870_911]] };

const options = {
  google: {
    nested: {
      protobuf: {
        nested: Object.fromEntries(
          ["File", "Message", "Field", "Oneof", "Enum", "EnumValue", "Service", "Method", "ExtensionRange"]
            .map((name) => `${name}Options`)
            .concat("FeatureSet")
            .map((name) => [name, optionsMessage]),
        ),
      },
    },
  },
};

const further = new Map<string, readonly [imports: string, types: string]>([
  ["google/protobuf/source_context.proto", ["", "message SourceContext { string file_name = 1; }"]],
  [
    "google/protobuf/type.proto",
    [
      'import "google/protobuf/any.proto"; import "google/protobuf/source_context.proto";',
      `enum Syntax { SYNTAX_PROTO2 = 0; SYNTAX_PROTO3 = 1; SYNTAX_EDITIONS = 2; }
      message Option { string name = 1; Any value = 2; }
      message Type {
        string name = 1; repeated Field fields = 2; repeated string oneofs = 3; repeated Option options = 4;
        SourceContext source_context = 5; Syntax syntax = 6; string edition = 7;
      }
      message Field {
        enum Kind {
          TYPE_UNKNOWN = 0; TYPE_DOUBLE = 1; TYPE_FLOAT = 2; TYPE_INT64 = 3; TYPE_UINT64 = 4; TYPE_INT32 = 5;
          TYPE_FIXED64 = 6; TYPE_FIXED32 = 7; TYPE_BOOL = 8; TYPE_STRING = 9; TYPE_GROUP = 10; TYPE_MESSAGE = 11;
          TYPE_BYTES = 12; TYPE_UINT32 = 13; TYPE_ENUM = 14; TYPE_SFIXED32 = 15; TYPE_SFIXED64 = 16;
          TYPE_SINT32 = 17; TYPE_SINT64 = 18;
        }
        enum Cardinality {
          CARDINALITY_UNKNOWN = 0; CARDINALITY_OPTIONAL = 1; CARDINALITY_REQUIRED = 2; CARDINALITY_REPEATED = 3;
        }
        Kind kind = 1; Cardinality cardinality = 2; int32 number = 3; string name = 4; string type_url = 6;
        int32 oneof_index = 7; bool packed = 8; repeated Option options = 9; string json_name = 10;
        string default_value = 11;
      }
      message Enum {
        string name = 1; repeated EnumValue enumvalue = 2; repeated Option options = 3;
        SourceContext source_context = 4; Syntax syntax = 5; string edition = 6;
      }
      message EnumValue { string name = 1; int32 number = 2; repeated Option options = 3; }`,
    ],
  ],
  [
    "google/protobuf/api.proto",
    [
      'import "google/protobuf/type.proto"; import "google/protobuf/source_context.proto";',
      `message Api {
        string name = 1; repeated Method methods = 2; repeated Option options = 3; string version = 4;
        SourceContext source_context = 5; repeated Mixin mixins = 6; Syntax syntax = 7; string edition = 8;
      }
      message Method {
        string name = 1; string request_type_url = 2; bool request_streaming = 3; string response_type_url = 4;
        bool response_streaming = 5; repeated Option options = 6; Syntax syntax = 7; string edition = 8;
      }
      message Mixin { string name = 1; string root = 2; }`,
    ],
  ],
  [
    "confluent/meta.proto",
    ["", "message Meta { string doc = 1; map<string, string> params = 2; repeated string tags = 3; }"],
  ],
  ["confluent/type/decimal.proto", ["", "message Decimal { bytes value = 1; uint32 precision = 2; int32 scale = 3; }"]],
]);
