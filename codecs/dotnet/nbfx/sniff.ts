import { defaultDecodeLimits } from "../../../src/codec/limits.ts";
import type { Sniff } from "../../../src/codec/codec.ts";
import { xsi } from "../xml/namespaces.ts";
import { type NbfxReadOptions, readNbfxDocument } from "./read-document.ts";
import { record } from "./records.ts";

/** Everything that .NET's serializers write names a namespace that starts like this, or declares that of `xsi`. */
const schemas = "http://schemas.";

/**
 * Whether bytes are .NET binary XML: they begin with an element and parse to the last byte.
 *
 * `strong` when the root is in one of .NET's namespaces or declares that of `xsi:type`; texts that begin with `@` do
 * neither. What only begins so and names one of .NET's namespaces is `weak`, so that its reader tells what is broken.
 */
export function sniffNbfx(payload: Uint8Array, options: NbfxReadOptions): Sniff {
  const first = payload[0] ?? 0;
  const named =
    first === record.shortElement ||
    first === record.element ||
    (first >= record.prefixElementA && first <= record.prefixElementZ);
  const numbered = options.dictionary !== undefined || options.session !== undefined;
  if (!named && !(numbered && first > record.element && first < record.prefixElementA)) return "no";
  try {
    const { root } = readNbfxDocument(payload, defaultDecodeLimits, options);
    const declares = root.attributes.some(({ value }) => value === xsi);
    return declares || root.namespace.startsWith(schemas) ? "strong" : "weak";
  } catch {
    return namesDotnet(payload) ? "weak" : "no";
  }
}

/** Bytes in which a root has declared its namespaces. */
const headLength = 512;

function namesDotnet(payload: Uint8Array): boolean {
  const head = String.fromCharCode(...payload.subarray(0, headLength));
  return head.includes(schemas) || head.includes(xsi);
}
