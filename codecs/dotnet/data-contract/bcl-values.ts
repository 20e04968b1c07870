import { BigInteger } from "../../../src/core/values/big-integer.ts";
import { ClassName } from "../../../src/core/values/named-text.ts";
import { lexical } from "../xml/lexical.ts";
import { clrNamespaces, system } from "../xml/namespaces.ts";
import type { XmlElement } from "../xml/node.ts";
import { elementsIn } from "./element-facts.ts";
import { contentOf } from "./scalar.ts";

/** Namespaces of classes that data contracts write as private fields although they are a single value. */
const numerics = `${clrNamespaces}System.Numerics`;
const globalization = `${clrNamespaces}System.Globalization`;
const collections = `${clrNamespaces}System.Collections`;

/** The value of an object of a .NET class that is written as its fields; wrapped, since the value itself may be null. */
export interface BclValue {
  readonly value: unknown;
  /** The texts inside that the value preserves, as written. */
  readonly texts: readonly string[];
}

/** The BigInteger, CultureInfo, BitArray, DBNull or Type that an element's fields represent, or `undefined`. */
export function bclValue(element: XmlElement): BclValue | undefined {
  // Nearly all elements return here, before any allocation.
  const { type } = element;
  if (type?.local === "DBNull" && type.namespace === system) return { value: null, texts: [] };
  const first = element.at(0);
  if (first?.kind !== "element") return undefined;
  switch (first.namespace) {
    case numerics:
      return bigInteger(element);
    case globalization:
      return cultureInfo(element);
    case collections:
      return bitArray(element);
    case "":
      return first.local === "Data"
        ? unity(element)
        : first.local === "m_MaxCapacity"
          ? stringBuilder(element)
          : undefined;
    default:
      return undefined;
  }
}

/** Maximum size of an integer in words: converting a longer one to digits takes too long. */
const maxWords = 512;

function bigInteger(element: XmlElement): BclValue | undefined {
  const bits = field(element, "_bits");
  const sign = textOfElement(field(element, "_sign"));
  if (bits === undefined || sign === undefined || element.size !== 2) return undefined;
  const words = elementsIn(bits).map((word) => textOfElement(word) ?? "");
  const value = bigIntegerOf(words, sign);
  return value && { value, texts: [value.value.toString()] };
}

/** The integer of .NET's fields: 32-bit words, least significant first, and a sign, which is the integer itself if there are no words. */
export function bigIntegerOf(words: readonly string[], sign: string): BigInteger | undefined {
  if (words.length > maxWords || !/^-?\d{1,10}$/.test(sign)) return undefined;
  if (words.some((word) => !/^\d{1,10}$/.test(word) || Number(word) > 0xffff_ffff)) return undefined;
  if (words.length === 0) return new BigInteger(BigInt(sign));
  const hex = words.map((word) => Number(word).toString(16).padStart(8, "0")).reverse();
  const size = BigInt(`0x${hex.join("")}`);
  return new BigInteger(sign.startsWith("-") ? -size : size);
}

function cultureInfo(element: XmlElement): BclValue | undefined {
  const name = field(element, "m_name");
  if (name === undefined || field(element, "cultureID") === undefined) return undefined;
  const value = textOfElement(name);
  return value === undefined ? undefined : { value, texts: [value] };
}

/** The bits, least significant first in each integer. */
function bitArray(element: XmlElement): BclValue | undefined {
  const array = field(element, "m_array");
  const length = Number(textOfElement(field(element, "m_length")) ?? Number.NaN);
  if (array === undefined) return undefined;
  const words = elementsIn(array).map((word) => Number(textOfElement(word) ?? Number.NaN));
  if (!Number.isInteger(length) || length < 0 || length > words.length * 32) return undefined;
  const value = Array.from({ length }, (_, at) => (((words[at >> 5] ?? 0) >>> (at & 31)) & 1) === 1);
  return { value, texts: value.map(String) };
}

function stringBuilder(element: XmlElement): BclValue | undefined {
  const value = textOfElement(field(element, "m_StringValue"));
  return value === undefined ? undefined : { value, texts: [value] };
}

/** The form in which .NET writes a `Type`: its name; and `DBNull`. */
function unity(element: XmlElement): BclValue | undefined {
  const kind = textOfElement(field(element, "UnityType"));
  if (kind === undefined || field(element, "AssemblyName") === undefined) return undefined;
  if (kind === "2") return { value: null, texts: [] };
  const name = textOfElement(field(element, "Data"));
  return kind === "4" && name !== undefined ? { value: new ClassName(name), texts: [name] } : undefined;
}

function field(element: XmlElement, name: string): XmlElement | undefined {
  for (const child of element.children) if (child.kind === "element" && child.local === name) return child;
  return undefined;
}

/** The text of a field that holds no elements. */
function textOfElement(element: XmlElement | undefined): string | undefined {
  if (element === undefined || elementsIn(element).length > 0) return undefined;
  const { value, type } = contentOf(element);
  return lexical(value, type);
}
