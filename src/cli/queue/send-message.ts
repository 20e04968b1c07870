import type { Serializer } from "../../core/codec/serializer.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import { envelopeFromJson } from "../../core/envelope/envelope-json.ts";
import { toBase64 } from "../../core/values/base64.ts";
import { parsedJson } from "../../core/values/json.ts";
import { atEndpoint, type EndpointRequest } from "./endpoint.ts";
import { commandSerializer } from "../codecs.ts";
import { encodeText } from "../decode/encode.ts";
import { oneLine } from "../display.ts";
import { exitCodes, Misuse, orMisuse, type Terminal } from "../terminal.ts";

/** A message given by the options of a command line. */
export interface MessageRequest extends EndpointRequest {
  readonly body: string;
  readonly contentType?: string;
  readonly property?: Readonly<Record<string, unknown>>;
  /** Broker properties by their names. */
  readonly brokerProperty?: Readonly<Record<string, unknown>>;
  readonly dryRun?: boolean;
}

/** Sends one message; resolves to the exit code. @throws Misuse for a body that does not fit its content type. */
export async function sendMessage(request: MessageRequest, terminal: Terminal): Promise<number> {
  const serializer = await commandSerializer({});
  const envelope = orMisuse(() => envelopeOf(request, serializer));
  return atEndpoint(request, terminal, async ({ engine, entity }) => {
    const { contentType } = envelope.brokerProperties;
    const what = `${envelope.payload.byteLength} bytes of ${oneLine(contentType ?? "")}`;
    if (request.dryRun === true) {
      await terminal.out(`1 would be sent to ${entity}: ${what}\n`);
      return exitCodes.done;
    }
    const sender = await engine.openSender(entity);
    await sender.send([envelope]).finally(() => sender.close());
    await terminal.out(`1 sent to ${entity}: ${what}\n`);
    return exitCodes.done;
  });
}

function envelopeOf(request: MessageRequest, serializer: Serializer): Envelope {
  const { body, property = {}, brokerProperty = {} } = request;
  const contentType = request.contentType ?? (isJson(body) ? "application/json" : "text/plain");
  return envelopeFromJson({
    payload: { $bytes: toBase64(payloadOf(body, contentType, serializer)) },
    brokerProperties: { ...brokerProperty, contentType },
    applicationProperties: property,
  });
}

/** Text is sent as it is; binary formats are encoded from the JSON that `sobre decode` prints. */
function payloadOf(body: string, contentType: string, { registry }: Serializer): Uint8Array {
  const bytes = new TextEncoder().encode(body);
  const isText = /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml)\b)/i.test(contentType);
  if (isText) {
    if (/json\b/i.test(contentType) && !isJson(body))
      throw new Misuse("--body is not JSON, although --content-type says so");
    return bytes;
  }
  const { encoder, contentType: parsed } = registry.encoderFor(contentType);
  if (encoder.name === "bytes") return bytes;
  if (!isJson(body)) throw new Misuse(`--body must be JSON, which is encoded as ${encoder.name} for ${contentType}`);
  return encodeText(bytes, encoder, parsed);
}

const isJson = (text: string): boolean => parsedJson(text) !== undefined;
