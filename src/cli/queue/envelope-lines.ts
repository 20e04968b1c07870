import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { amend, type Envelope } from "../../core/envelope/envelope.ts";
import { capturedFromJson } from "../../core/engine/delivery-json.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { fileProblem, Misuse } from "../terminal.ts";

/** A line of a file of envelopes. */
export interface EnvelopeLine {
  /** From 1 up. */
  readonly number: number;
  /** SHA-256 of its text, in hexadecimal digits. */
  readonly digest: string;
  /** With a message id of the line when it had none. */
  readonly envelope: Envelope;
}

/** Reads a file of envelopes, one a line; empty lines are passed over. @throws Misuse naming the line that cannot be read. */
export async function* envelopeLines(file: string): AsyncGenerator<EnvelopeLine, void, undefined> {
  const input = file === "-" ? process.stdin : createReadStream(file);
  let number = 0;
  try {
    for await (const text of createInterface({ input, crlfDelay: Infinity })) {
      number++;
      if (text.trim() === "") continue;
      const digest = createHash("sha256").update(text).digest("hex");
      yield { number, digest, envelope: envelopeOf(text, { file, number, digest }) };
    }
  } catch (error) {
    if (error instanceof Misuse || !(error instanceof Error && "code" in error)) throw error;
    throw new Misuse(fileProblem(file, error));
  }
}

function envelopeOf(
  text: string,
  { file, number, digest }: { readonly file: string; readonly number: number; readonly digest: string },
): Envelope {
  try {
    const { envelope } = capturedFromJson(JSON.parse(text));
    if (envelope.brokerProperties.messageId !== undefined) return envelope;
    return amend(envelope, { brokerProperties: { messageId: `${digest.slice(0, 24)}-${number}` } });
  } catch (error) {
    const why = error instanceof SobreError ? reasonOf(error) : "it is not JSON.";
    throw new Misuse(`${file}, line ${number}: ${why}`);
  }
}

/** Most messages have the path in them. */
const reasonOf = ({ path = "", message }: SobreError): string =>
  message.includes(path) ? message : `${path} ${message}`;
