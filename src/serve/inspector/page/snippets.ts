import type { StoryAnswer } from "../api.ts";
import { visibleJson } from "../../../core/values/visible-text.ts";

/** Code that makes the message again. */
export function codeOf({ payload, brokerProperties, applicationProperties }: StoryAnswer): string {
  return [
    importOf("createEnvelope", "sobre"),
    importOf("valueFromJson", "sobre/values"),
    "",
    "const envelope = createEnvelope({",
    `  payload: Buffer.from(${JSON.stringify(payload ?? "")}, "base64"),`,
    `  brokerProperties: valueFromJson(${literal(brokerProperties)}),`,
    `  applicationProperties: valueFromJson(${literal(applicationProperties)}),`,
    "});",
  ].join("\n");
}

/** The message in the format of envelopes in files, for a test. */
export function fixtureOf({ payload, brokerProperties, applicationProperties }: StoryAnswer): string {
  const envelope = { payload: { $bytes: payload ?? "" }, brokerProperties, applicationProperties };
  return visibleJson(envelope, 2);
}

const literal = (value: unknown): string => visibleJson(value, 2).replaceAll("\n", "\n  ");

const importOf = (name: string, module: string): string => `import { ${name} } from ${JSON.stringify(module)};`;
