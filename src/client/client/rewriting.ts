import type { PayloadStage } from "../../core/codec/payload-stage.ts";
import type { Serializer } from "../../core/codec/serializer.ts";
import { type ContentType, formatContentType, parseContentType } from "../../core/content-type/content-type.ts";
import { amend, type Envelope } from "../../core/envelope/envelope.ts";
import { isRetryable } from "./attempts.ts";
import { staged, unstaged } from "./staging.ts";

/** How messages are read and optionally re-encoded. */
export interface Rewriting {
  readonly serializer: Serializer;
  readonly stages: readonly PayloadStage[];
  /** The content type to write; `undefined` keeps the bytes. */
  readonly rewriteAs: string | undefined;
}

/**
 * The message in another content type, or `undefined` when the serializer cannot read it.
 *
 * It passes the stages in both directions, so it is encrypted, compressed or stored as before.
 *
 * @throws a retryable SobreError when a stage may be able to read the message later, and what writing throws.
 */
export async function rewritten(
  envelope: Envelope,
  { serializer, stages, rewriteAs }: Rewriting,
): Promise<Envelope | undefined> {
  const bare = await readable(stages, envelope);
  if (bare === undefined) return undefined;
  const result = serializer.deserialize(bare);
  if (!result.ok) return undefined;
  if (rewriteAs === undefined) return envelope;
  const { payload, bodyKind, brokerProperties } = serializer.serialize({ body: result.body, contentType: rewriteAs });
  const contentType = withTypeOf(result.contentType, brokerProperties.contentType);
  return staged(
    stages,
    amend(bare, { payload, bodyKind, brokerProperties: { contentType, contentEncoding: undefined } }),
  );
}

async function readable(stages: readonly PayloadStage[], received: Envelope): Promise<Envelope | undefined> {
  try {
    return await unstaged(stages, received);
  } catch (error) {
    if (isRetryable(error)) throw error;
    return undefined;
  }
}

const typeParameters: ReadonlySet<string> = new Set(["type", "version", "messagetype"]);

/** Carries the message type and version over from the old content type. */
function withTypeOf(before: ContentType | undefined, after: string | undefined): string | undefined {
  const claims = before?.parameters.filter(({ name }) => typeParameters.has(name.toLowerCase())) ?? [];
  if (after === undefined || claims.length === 0) return after;
  const { type, parameters } = parseContentType(after);
  const own = new Set(parameters.map(({ name }) => name.toLowerCase()));
  return formatContentType(type, [...parameters, ...claims.filter(({ name }) => !own.has(name.toLowerCase()))]);
}
