import { amqp } from "../../../codecs/amqp/index.ts";
import { json } from "../../../codecs/json/index.ts";
import { msgpack } from "../../../codecs/msgpack/index.ts";
import { protobuf } from "../../../codecs/protobuf/index.ts";
import { protosOf } from "../../contract/sources/proto-files.ts";
import type { SubjectVersion } from "../../contract/subjects/subject-version.ts";
import type { Codec } from "../../core/codec/codec.ts";
import { createSerializer, type Serializer } from "../../core/codec/serializer.ts";

/** The codecs whose bytes carry witnesses on the command line. */
export function witnessCodecs(): readonly Codec[] {
  return [json(), msgpack(), amqp()];
}

const serializer = createSerializer({ codecs: witnessCodecs() });

/** The codecs that today's code of a version reads with. */
export function versionSerializer(version: SubjectVersion | undefined): Serializer {
  if (version?.format !== "protobuf") return serializer;
  return createSerializer({ codecs: [...witnessCodecs(), protobuf({ protos: protosOf(version) })] });
}
