import { brokerPropertyTable } from "./broker-property-table.ts";

/** The names of one broker property in every language and protocol. */
export interface PropertyNames {
  /** In this library and `@azure/service-bus`, e.g. `sessionId`. */
  readonly camelCase: string;
  /** In .NET, e.g. `SessionId`. */
  readonly pascalCase: string;
  /** In Python's `azure-servicebus`, e.g. `session_id`. */
  readonly snakeCase: string;
  /** The AMQP 1.0 message section and the field, annotation or property in it, e.g. `properties` and `group-id`. */
  readonly amqp: { readonly section: string; readonly name: string };
  /** The HTTP header, and the JSON member if that is `BrokerProperties`. */
  readonly http: { readonly header: string; readonly member: string | undefined };
  /** Whether a sender may set it; the others are set by the broker. */
  readonly settable: boolean;
}

/**
 * The names of every broker property in every language and protocol; `docs/serve.md` has them as a table.
 *
 * @example
 * ```ts
 * const { amqp } = propertyNames.find(({ camelCase }) => camelCase === "sessionId") ?? {};
 * console.log(amqp?.name); // group-id
 * ```
 */
export const propertyNames: readonly PropertyNames[] = /* @__PURE__ */ brokerPropertyTable.map(
  ({ property, settable, amqp: { section, name }, http }) => {
    const pascalCase = `${property.slice(0, 1).toUpperCase()}${property.slice(1)}`;
    return {
      camelCase: property,
      pascalCase,
      snakeCase: property.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      amqp: { section, name },
      http: httpNames(property, http, pascalCase),
      settable,
    };
  },
);

function httpNames(property: string, member: string | undefined, pascalCase: string): PropertyNames["http"] {
  // Over HTTP, the content type of AMQP value and sequence bodies is that of their form; their own is a JSON member.
  if (property === "contentType") return { header: "Content-Type", member };
  return member === undefined ? { header: pascalCase, member } : { header: "BrokerProperties", member };
}
