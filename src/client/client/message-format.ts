import type { PayloadStage } from "../../core/codec/payload-stage.ts";
import { createSerializer, type Serializer } from "../../core/codec/serializer.ts";
import type { MessageType } from "../../core/message/message-type.ts";

/** How the payload of a message is made and read: by a client's serializer and stages, or those of a message type. */
export interface MessageFormat {
  readonly serializer: Serializer;
  readonly stages: readonly PayloadStage[];
}

/** The format of a message type; the client's where the type has none of its own. */
export function formatOf(type: MessageType, client: MessageFormat): MessageFormat {
  const { codec, stages } = type;
  if (codec === undefined && stages === undefined) return client;
  return {
    serializer: codec === undefined ? client.serializer : only(codec, client.serializer),
    stages: stages ?? client.stages,
  };
}

const only = (codec: NonNullable<MessageType["codec"]>, { limits }: Serializer): Serializer =>
  createSerializer({ codecs: [codec], limits });

/** Whether messages of the type are in a format of its own. */
export const hasFormat = ({ codec, stages }: MessageType): boolean => codec !== undefined || stages !== undefined;
