/**
 * Writes fixtures/mailbox from the vectors folder that SOBRE_VECTORS names; the same input makes the same bytes.
 *
 *     SOBRE_VECTORS=../shared/vectors node scripts/make-mailbox.ts
 */
import { createHash } from "node:crypto";
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import type { Letter } from "./mailbox/letter.ts";
import { mailboxLetters } from "./mailbox/letters.ts";

const kept = new Set(["shop.proto", ".gitattributes"]);
const vectors = process.env["SOBRE_VECTORS"];
if (vectors === undefined) throw new Error("SOBRE_VECTORS must name the vectors folder.");

const folder = fileURLToPath(new URL("../fixtures/mailbox/", import.meta.url));
const letters = mailboxLetters(vectors);
for (const name of readdirSync(folder)) if (!kept.has(name)) rmSync(join(folder, name));
for (const { file, payload } of letters) writeFileSync(join(folder, file), payload);
const manifest = {
  description:
    "A mixed mailbox: each message with what it declares, where its bytes come from, and what should become of it. " +
    "Made by scripts/make-mailbox.ts; values use the $ objects of the envelope JSON.",
  proto: "shop.proto",
  messages: letters.map(entry),
};
writeFileSync(join(folder, "manifest.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
console.log(`${letters.length} messages in ${folder}`);

function entry({ file, payload, source, ...rest }: Letter): object {
  const sha256 = createHash("sha256").update(payload).digest("hex");
  return { file, ...rest, bytes: payload.byteLength, sha256, source };
}
