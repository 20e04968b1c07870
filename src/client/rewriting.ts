import type { PayloadStage } from "../codec/payload-stage.ts";
import type { Serializer } from "../codec/serializer.ts";
import { type ContentType, formatContentType, parseContentType } from "../content-type/content-type.ts";
import { amend, type Envelope } from "../envelope/envelope.ts";
import { isRetryable } from "./attempts.ts";
import { staged, unstaged } from "./staging.ts";

/** How messages are read, and maybe written anew. */
export interface Rewriting {
  readonly serializer: Serializer;
  readonly stages: readonly PayloadStage[];
  /** The content type to write; `undefined` leaves the bytes. */
  readonly rewriteAs: string | undefined;
}

/**
 * The message in another content type, or `undefined` when the serializer does not read it.
 *
 * It passes the stages both ways, so that what was encrypted, compressed or stored apart is so again.
 *
 * @throws SobreError that is retryable when a stage may read the message later, and what writing throws.
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

/** A type and version that the old content type names are those of the new one too. */
function withTypeOf(before: ContentType | undefined, after: string | undefined): string | undefined {
  const claims = before?.parameters.filter(({ name }) => typeParameters.has(name.toLowerCase())) ?? [];
  if (after === undefined || claims.length === 0) return after;
  const { type, parameters } = parseContentType(after);
  const own = new Set(parameters.map(({ name }) => name.toLowerCase()));
  return formatContentType(type, [...parameters, ...claims.filter(({ name }) => !own.has(name.toLowerCase()))]);
}
