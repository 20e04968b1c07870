import { checkOption } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";

/** The parts of a shared access signature. */
export interface SharedAccessSignature {
  /** The resource, decoded. */
  readonly resource: string;
  readonly keyName: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  /** Whether the signature was made with the key. */
  signedWith(key: string): boolean;
}

const prefix = "SharedAccessSignature ";

/** Loaded with the first token: it would be a tenth of the time in which a server starts. */
const crypto = (): typeof import("node:crypto") => process.getBuiltinModule("node:crypto");

/** The longest token, in characters. */
const maxTokenLength = 8192;

/** Reads a token of the form `SharedAccessSignature sr=…&sig=…&se=…&skn=…`. @throws SobreError `UnauthorizedAccess`. */
export function readSas(token: string): SharedAccessSignature {
  checkOption("token", token, is.text);
  if (token.length > maxTokenLength) throw unauthorized(`A token has at most ${maxTokenLength} characters.`);
  if (!token.startsWith(prefix)) throw unauthorized("The token is not a shared access signature.");
  const fields = new Map(
    token
      .slice(prefix.length)
      .split("&")
      .map((field): [string, string] => {
        const at = field.indexOf("=");
        return [field.slice(0, at), field.slice(at + 1)];
      }),
  );
  const { sr, sig, se, skn } = Object.fromEntries(fields);
  if (sr === undefined || sig === undefined || skn === undefined || se === undefined || !/^\d{1,12}$/.test(se))
    throw unauthorized("The token lacks one of sr, sig, se and skn.");
  return {
    resource: decoded(sr),
    keyName: decoded(skn),
    expiresAt: Number(se) * 1000,
    signedWith(key) {
      checkOption("key", key, is.text);
      return equal(decoded(sig), signature(key, sr, se));
    },
  };
}

const wellFormed: is.OptionCheck = (value) =>
  typeof value === "string" && value.isWellFormed() ? undefined : "must be a well-formed string";
const finite: is.OptionCheck = (value) => (Number.isFinite(value) ? undefined : "must be a number of milliseconds");

/** Makes a token for a resource; `expiresAt` in milliseconds since 1970. */
export function writeSas(
  resource: string,
  key: { readonly name: string; readonly value: string },
  expiresAt: number,
): string {
  checkOption("resource", resource, wellFormed);
  checkOption("key", key, is.having("a key", { name: wellFormed, value: is.text }));
  checkOption("expiresAt", expiresAt, finite);
  const sr = encodeURIComponent(resource);
  const se = String(Math.floor(expiresAt / 1000));
  const sig = encodeURIComponent(signature(key.value, sr, se));
  return `${prefix}sr=${sr}&sig=${sig}&se=${se}&skn=${encodeURIComponent(key.name)}`;
}

const signature = (key: string, sr: string, se: string): string =>
  crypto().createHmac("sha256", key).update(`${sr}\n${se}`).digest("base64");

/** The SHA-256 hash that stands for a token where the token itself must not be kept. */
export const digest = (token: string): string => crypto().createHash("sha256").update(token).digest("base64");

/** Whether two texts are equal, compared in constant time. */
export function equal(one: string, other: string): boolean {
  const a = Buffer.from(one);
  const b = Buffer.from(other);
  return a.byteLength === b.byteLength && crypto().timingSafeEqual(a, b);
}

/** Text without its percent signs. @throws SobreError `UnauthorizedAccess`. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw unauthorized("The token is not percent-encoded as it must be.");
  }
}

const unauthorized = (what: string): SobreError =>
  new SobreError("UnauthorizedAccess", `${what} Check the connection string.`);
