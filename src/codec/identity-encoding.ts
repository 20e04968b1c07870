/** Content encodings that compress nothing; some senders put the charset there. */
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

/** Whether a content encoding leaves the payload as it is. */
export function isIdentityEncoding(contentEncoding: string): boolean {
  return identities.has(contentEncoding.trim().toLowerCase());
}
