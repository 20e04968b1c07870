import { messageProperties } from "./message-properties.ts";
import { guardedStage } from "../codec/guarded-stage.ts";
import type { PayloadStage } from "../codec/payload-stage.ts";
import { amend, type Envelope } from "../envelope/envelope.ts";
import { SobreError } from "../errors/sobre-error.ts";
import { checkOptions, type OptionChecks } from "../options/option-checks.ts";
import * as is from "../options/is.ts";

/** Options of {@link registryIds}. */
export interface RegistryIdsOptions {
  /**
   * Whether payloads begin with Confluent's prefix: a zero byte and a schema id of four bytes. It cannot be detected,
   * since other payloads may begin the same way. Default: false.
   */
  readonly confluentPrefix?: boolean | undefined;
}

/**
 * A stage that removes the schema ids of registries from received messages and keeps them for the aliases of message
 * types.
 *
 * `application/json+5f1b…` and `avro/binary+5f1b…`, which `@azure/schema-registry-json` and `-avro` write, become
 * `application/json` and `avro/binary`; the id is kept in the application property `sobre-schema-id`, Confluent's in
 * decimal.
 *
 * @throws SobreError `InvalidArgument` naming the option.
 */
export function registryIds(options: RegistryIdsOptions = {}): PayloadStage {
  checkOptions(options, registryIdsChecks);
  const { confluentPrefix = false } = options;
  return guardedStage({
    name: "registry-ids",
    afterReceive: (envelope) => withoutPrefix(withoutSuffix(envelope), confluentPrefix),
  });
}

const registryIdsChecks: OptionChecks<RegistryIdsOptions> = { confluentPrefix: is.flag };

/** Azure's schema ids are 32 hexadecimal digits after the subtype. */
const suffixed = /^\s*([^\s;+/]+\/[^\s;+/]+)\+([0-9a-f]{32})\s*$/i;

function withoutSuffix(envelope: Envelope): Envelope {
  const [, type, id] = suffixed.exec(envelope.brokerProperties.contentType ?? "") ?? [];
  if (type === undefined || id === undefined) return envelope;
  return amend(envelope, {
    brokerProperties: { contentType: type },
    applicationProperties: { [messageProperties.schemaId]: id },
  });
}

function withoutPrefix(envelope: Envelope, confluentPrefix: boolean): Envelope {
  const { payload, bodyKind } = envelope;
  if (!confluentPrefix || bodyKind !== "data" || payload.byteLength === 0) return envelope;
  if (payload[0] !== 0 || payload.byteLength < 5) {
    throw new SobreError(
      "DecodeFailed",
      "The payload does not begin with Confluent's prefix: a zero byte and a schema id of four bytes.",
      {
        offset: 0,
      },
    );
  }
  const id = new DataView(payload.buffer, payload.byteOffset).getUint32(1);
  return amend(envelope, {
    payload: payload.subarray(5),
    applicationProperties: { [messageProperties.schemaId]: String(id) },
  });
}
