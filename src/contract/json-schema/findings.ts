import type { RefusedWitness } from "./compared.ts";

/** A refusal in words: the kind of change, one sentence, and the repair. */
export interface Explained {
  readonly code: string;
  readonly message: string;
  readonly repair: string;
}

/** Explains the refusal of a value by the reader's schema. */
export function explain({ keyword, params, instancePath, message }: RefusedWitness): Explained {
  const { variant } = params;
  const where = instancePath === "" ? "the message itself" : instancePath;
  const name = (key: string): string => JSON.stringify(params[key] ?? "");
  switch (keyword) {
    case "required":
    case "dependentRequired":
    case "dependencies": {
      const member = name("missingProperty");
      return {
        code: "member-required",
        message: `The reader requires the member ${member} of ${where}, and the writer may leave it out.`,
        repair: `Make ${member} optional for readers, give it a default in an upcaster, or release a new major version.`,
      };
    }
    case "additionalProperties":
    case "unevaluatedProperties":
    case "propertyNames": {
      const member = name(
        keyword === "unevaluatedProperties"
          ? "unevaluatedProperty"
          : keyword === "propertyNames"
            ? "propertyName"
            : "additionalProperty",
      );
      return {
        code: "member-refused",
        message: `The reader refuses the member ${member} of ${where}, which the writer may send.`,
        repair: `Keep ${member} in the reader's schema, or let the reader accept unknown members.`,
      };
    }
    case "type":
      return {
        code: "type-narrowed",
        message: `The reader wants ${JSON.stringify(params["type"] ?? "another type")} at ${where}, and the writer may send another type.`,
        repair: "List the writer's type together with the new one, or put the new type in a new member.",
      };
    case "enum":
    case "const":
      return {
        code: "values-narrowed",
        message: `The reader lists other values at ${where} than the writer may send.`,
        repair: "Keep the old values for reading until no writer sends them any more.",
      };
    case "pattern":
    case "format":
      return {
        code: "text-narrowed",
        message: `The reader refuses texts at ${where} that the writer may send: it ${message}.`,
        repair: "Loosen the condition for reading, or check it where messages are written first.",
      };
    case "upcast":
      return {
        code: "upcast-failed",
        message: `A message of the writer ${message}`,
        repair: "Repair the upcaster, or its schemas; the witness shows a message that it must convert.",
      };
    case "upcast loss":
      return {
        code: "upcast-loss",
        message: `${where} ${message}.`,
        repair: "Carry the value over, or ignore this code in the policy if it is meant.",
      };
    case "anyOf":
    case "oneOf":
      if (typeof variant === "string")
        return {
          code: "variant-removed",
          message: `The reader has no variant for ${variant} at ${where}, which the writer may send.`,
          repair: "Keep the variant until no writer sends it any more, or release a new major version.",
        };
      return {
        code: "alternatives-changed",
        message:
          params["passingSchemas"] === null || params["passingSchemas"] === undefined
            ? `At ${where} the writer may send a value that no alternative of the reader's ${keyword} accepts.`
            : `At ${where} the writer may send a value that several alternatives of the reader's oneOf accept.`,
        repair: "Keep every alternative that a writer in flight may send.",
      };
    case "not":
    case "if":
      return {
        code: "alternatives-changed",
        message: `At ${where} the reader's ${keyword} does not hold for what the writer may send.`,
        repair: "Keep every alternative that a writer in flight may send.",
      };
    case "false schema":
      return {
        code: "value-refused",
        message: `The reader allows nothing at ${where}, and the writer may send something.`,
        repair: "Let the reader accept what writers in flight send there.",
      };
    default:
      return {
        code: "range-narrowed",
        message: `The reader refuses what the writer may send at ${where}: it ${message}.`,
        repair: `Loosen ${keyword} for reading, or release a new major version.`,
      };
  }
}
