import type { Serializer } from "../../codec/serializer.ts";
import { SobreError } from "../../errors/sobre-error.ts";
import type { MessageType } from "../../message/message-type.ts";
import { createTypeReader } from "../../message/type-reader.ts";
import type { Subject, SubjectVersion } from "../subjects/subject.ts";
import { type SubjectFinding, subjectFinding } from "../subjects/subject-changes.ts";
import type { GoldenMessage } from "./golden-message.ts";

/** Why a message type of the code does not read a golden message, as receivers read it; `undefined` when it does. */
export async function typedRefusal(
  { envelope }: GoldenMessage,
  types: readonly MessageType[],
  serializer: Serializer,
): Promise<string | undefined> {
  const result = serializer.deserialize(envelope);
  if (!result.ok) return `${result.error.code}: ${result.error.message}`;
  const read = await createTypeReader(types)(envelope, result);
  return read.ok ? undefined : `${read.error.code}: ${read.error.message}`;
}

/** The golden messages that the message types of the code do not read, upcasters and chain included. */
export async function unreadByTypes(
  golden: readonly GoldenMessage[],
  types: readonly MessageType[],
  {
    subjects,
    serializerOf,
  }: {
    readonly subjects: readonly Subject[];
    readonly serializerOf: (version: SubjectVersion | undefined) => Serializer;
  },
): Promise<readonly SubjectFinding[]> {
  const findings: SubjectFinding[] = [];
  for (const message of golden) {
    const { subject, version, codec, name } = message;
    const own = types.filter((type) => type.name === subject);
    if (own.length === 0) continue;
    const released = subjects.find((one) => one.name === subject)?.versions.find((one) => one.version === version);
    const refusal = await typedRefusal(message, own, serializerOf(released)).catch((error: unknown) => {
      if (error instanceof SobreError) return error.message;
      throw error;
    });
    if (refusal === undefined) continue;
    findings.push(
      subjectFinding({
        subject,
        code: "golden-unread",
        message: `The code of ${subject} does not read the golden message ${version}/${codec}/${name}: ${refusal}`,
        repair: "Messages like it may be in flight: read them, or give the message type an upcaster.",
        file: released?.file ?? `${subject}/subject.json`,
      }),
    );
  }
  return findings;
}
