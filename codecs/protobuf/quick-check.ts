import { innermostMessage, generate } from "./reflection.ts";
import { holdsInteger } from "./integer-range.ts";
import { isPlain, isWellFormed } from "./value-tests.ts";
import type { ProtobufFieldKind, ProtobufFieldShape, ProtobufMessageShape } from "./shape.ts";

type QuickMembers = Readonly<Record<string, unknown>>;

/** Gives what `toMessage` gives for bodies without a fault or anything rare, and `undefined` for the rest. */
export type QuickCheck = (body: unknown, depth: number) => QuickMembers | undefined;

/**
 * Generates the {@link QuickCheck} of a message type; `toMessage` is for what it does not pass, and for the errors.
 *
 * Generated code, as protobufjs generates its own, since a loop over the fields takes three times as long.
 */
export function quickCheck(
  shape: ProtobufMessageShape,
  known: Map<ProtobufMessageShape, QuickCheck> = new Map(),
): QuickCheck {
  const made = known.get(shape);
  if (made !== undefined) return made;
  let generated: QuickCheck | undefined;
  // A message may contain itself, so the generated code asks for it at its first use.
  const check: QuickCheck = (body, depth) => {
    generated ??= generateCheck(shape, known);
    return generated(body, depth);
  };
  known.set(shape, check);
  return check;
}

function generateCheck(shape: ProtobufMessageShape, known: Map<ProtobufMessageShape, QuickCheck>): QuickCheck {
  // Rare enough for the other way.
  if (shape.oneofs.length > 0 || shape.required.length > 0) return () => undefined;
  const checks = shape.fields.map(({ message }) => message && quickCheck(message, known));
  const numbers = shape.fields.map(({ enumeration }) => enumeration?.numbers);
  return generate(
    ["b", "d"],
    [
      `if(d>${innermostMessage}||!isPlain(b))return;`,
      "var m,l,a,x,w,i,k,n=0;",
      ...shape.fields.map(fieldLine),
      "for(k in b)if(b[k]!==undefined)--n;",
      // Otherwise some member is not a field.
      "if(n===0)return m||b",
    ],
    { checks, numbers, isPlain, isWellFormed, isSafe: Number.isSafeInteger, holdsInteger },
  );
}

function fieldLine(field: ProtobufFieldShape, index: number): string {
  const member = `b[${JSON.stringify(field.name)}]`;
  const copy = `(m||(m={...b}))[${JSON.stringify(field.name)}]`;
  if (field.label === "map" || field.inherited) return `if(${member}!==undefined)return;`;
  if (field.label === "single") return `if((x=${member})!==undefined){++n;${valueLine(field, index, `${copy}=w;`)}}`;
  const items = `for(i=0;i<a.length;++i){x=a[i];${valueLine(field, index, "(l||(l=a.slice()))[i]=w;")}}`;
  return `if((a=${member})!==undefined){++n;if(!Array.isArray(a))return;l=undefined;${items}if(l)${copy}=l;}`;
}

/** Leaves the generated function when `x` is not a value of the field; `store` takes `w` in its place. */
function valueLine({ kind }: ProtobufFieldShape, index: number, store: string): string {
  const isNegativeZero = "x===0&&1/x<0";
  switch (kind) {
    case "string":
      return 'if(typeof x!=="string"||!isWellFormed.call(x))return;';
    case "bool":
      return 'if(typeof x!=="boolean")return;';
    case "bytes":
      return "if(!(x instanceof Uint8Array))return;";
    case "double":
      return 'if(typeof x!=="number")return;';
    case "float":
      return 'if(typeof x!=="number"||!(Math.abs(x)<3e38))return;';
    case "int32":
    case "sint32":
    case "sfixed32":
      return `if(typeof x!=="number"||(x|0)!==x||${isNegativeZero})return;`;
    case "uint32":
    case "fixed32":
      return `if(typeof x!=="number"||x>>>0!==x||${isNegativeZero})return;`;
    case "int64":
    case "sint64":
    case "sfixed64":
      return longLine(kind, `!isSafe(x)||${isNegativeZero}`, store);
    case "uint64":
    case "fixed64":
      return longLine(kind, `!isSafe(x)||x<0||${isNegativeZero}`, store);
    case "enum":
      return `if((w=numbers[${index}].get(x))===undefined)return;${store}`;
    case "message":
      return `if((w=checks[${index}](x,d+1))===undefined)return;if(w!==x){${store}}`;
    default:
      return kind satisfies never;
  }
}

function longLine(kind: ProtobufFieldKind, noNumber: string, store: string): string {
  // The generated code of protobufjs knows the number 0 only.
  return `if(typeof x==="bigint"){if(x===0n){w=0;${store}}else if(!holdsInteger("${kind}",x))return}else if(${noNumber})return;`;
}
