import { isObject } from "../json-schema/json-value.ts";
import type { DocumentPlace } from "./asyncapi-document.ts";

/** A queue or a topic that a channel stands for. */
export interface ChannelEntity {
  readonly name: string;
  readonly kind: "queue" | "topic";
}

/** The entity of a channel; `undefined` for one whose address is known at run time only. */
export function entityOf({ value }: DocumentPlace): ChannelEntity | undefined {
  const { address, bindings } = value;
  if (typeof address !== "string") return undefined;
  const name = address
    .replaceAll(/\{([^}]*)\}/g, "$1")
    .replaceAll(/[^\w./-]/g, "-")
    .replaceAll(/^[/.-]+|[/.-]+$/g, "");
  return name === "" ? undefined : { name, kind: isTopic(bindings) ? "topic" : "queue" };
}

/** Whether the binding of a protocol says that every subscriber gets its own copy. */
function isTopic(bindings: unknown): boolean {
  if (!isObject(bindings)) return false;
  const said = ["jms", "ibmmq"].map((protocol) => memberOf(bindings[protocol], "destinationType"));
  return said.includes("topic") || memberOf(bindings["amqp"], "is") === "routingKey" || bindings["sns"] !== undefined;
}

function memberOf(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}
