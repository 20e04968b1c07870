import { checkOption } from "../options/option-checks.ts";
import * as is from "../options/is.ts";
/** Content encodings without compression; some senders put the charset there. */
const identities: ReadonlySet<string> = new Set([
  "",
  "identity",
  "utf-8",
  "utf8",
  "us-ascii",
  "ascii",
  "binary",
  "7bit",
  "8bit",
]);

/** Whether a content encoding leaves the payload unchanged. */
export function isIdentityEncoding(contentEncoding: string): boolean {
  checkOption("contentEncoding", contentEncoding, is.text);
  return identities.has(contentEncoding.trim().toLowerCase());
}
