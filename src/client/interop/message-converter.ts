import type { PayloadStage } from "../../core/codec/payload-stage.ts";
import type { Message } from "../../core/codec/message.ts";
import type { Serializer } from "../../core/codec/serializer.ts";
import { createMessageReader, type MessageResult } from "../client/message-reader.ts";
import { createMessageWriter } from "../client/message-writer.ts";
import { stageList } from "../../core/codec/stage-list.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import type { MessageType } from "../../core/message/message-type.ts";
import { checkOption, checkOptions, type OptionChecks } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";

/** Options of {@link createMessageConverter}. */
export interface MessageConverterOptions {
  readonly serializer: Serializer;
  /** Steps between serializer and envelope: compression, encryption, claim check. Default: none. */
  readonly stages?: readonly PayloadStage[] | undefined;
  /**
   * The message types to read: bodies are validated and upgraded to the latest version. Default: any body, unchanged.
   */
  readonly messageTypes?: readonly MessageType[] | undefined;
}

/** Turns messages into envelopes and back, with message types, versions and stages. */
export interface MessageConverter {
  /**
   * Converts a message to an envelope, for another client to send. @throws SobreError what the type, the serializer and
   * the stages throw.
   */
  toEnvelope(message: Message): Promise<Envelope>;
  /** Reads an envelope; resolves to the body and its type, or to the reason why it is unreadable. */
  fromEnvelope(envelope: Envelope): Promise<MessageResult>;
}

const messageConverterChecks: OptionChecks<MessageConverterOptions> = {
  serializer: is.serializer,
  stages: stageList,
  messageTypes: is.messageTypes,
};

/**
 * Creates a converter, for using message types with another client.
 *
 * @example
 * ```ts
 * import { createSerializer, defineMessage, json } from "sobre";
 * import { jsonSchema } from "sobre/json-schema";
 * import { createMessageConverter, fromServiceBusMessage, toServiceBusMessage } from "sobre/interop";
 *
 * const OrderPlaced = defineMessage("shop.order-placed", { 1: jsonSchema({ type: "object", required: ["id"] }) });
 * const converter = createMessageConverter({
 *   serializer: createSerializer({ codecs: [json()] }),
 *   messageTypes: [OrderPlaced],
 * });
 * const sent = toServiceBusMessage(await converter.toEnvelope(OrderPlaced.message({ id: "o-1" })));
 * const read = await converter.fromEnvelope(fromServiceBusMessage(sent));
 * console.log(read.ok && [read.messageType, read.messageVersion, read.body]);
 * ```
 * @throws SobreError `InvalidArgument` naming the option.
 */
export function createMessageConverter(options: MessageConverterOptions): MessageConverter {
  checkOptions(options, messageConverterChecks, { needed: ["serializer"] });
  const { serializer, stages = [], messageTypes: types } = options;
  const write = createMessageWriter({ serializer, stages }, undefined);
  const read = createMessageReader({ serializer, stages }, types);
  return {
    toEnvelope: async (message) => write(message),
    async fromEnvelope(envelope) {
      checkOption("envelope", envelope, is.envelope);
      return read(envelope);
    },
  };
}
