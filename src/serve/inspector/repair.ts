import { staged, unstaged } from "../../client/client/staging.ts";
import type { PayloadStage } from "../../core/codec/payload-stage.ts";
import type { Serializer } from "../../core/codec/serializer.ts";
import { amend, checkParts, type Envelope, withParts } from "../../core/envelope/envelope.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { checkOptions, type OptionChecks } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";
import { valueFromJsonAt } from "../../core/values/value-json-reading.ts";
import type { RepairInit } from "./api.ts";

const repairChecks: OptionChecks<RepairInit> = {
  brokerProperties: is.object,
  applicationProperties: is.object,
  body: is.anything,
  text: is.text,
};

const utf8 = new TextEncoder();

/**
 * The envelope with the changes; a new body passes the stages, so that it is compressed or encrypted as before.
 *
 * @throws SobreError `InvalidArgument` naming the property, and what writing the body throws.
 */
export async function repaired(
  envelope: Envelope,
  repair: RepairInit,
  { serializer, stages }: { readonly serializer: Serializer; readonly stages: readonly PayloadStage[] },
): Promise<Envelope> {
  checkOptions(repair, repairChecks, { prefix: "repair." });
  const { body, text: newText } = repair;
  const relabelled = withProperties(envelope, repair);
  if (body === undefined && newText === undefined) return relabelled;
  if (body !== undefined && newText !== undefined)
    throw new SobreError("InvalidArgument", "A repair has either a body or a text.", { path: "$.repair.text" });
  const bare = stages.length === 0 ? relabelled : await unstagedOrSame(stages, relabelled);
  return staged(stages, amend(bare, written(bare, repair, serializer)));
}

function written(bare: Envelope, { body, text: newText }: RepairInit, serializer: Serializer): Partial<Envelope> {
  if (newText !== undefined) return { payload: utf8.encode(newText), bodyKind: "data" };
  const { contentType } = bare.brokerProperties;
  const { payload, bodyKind, brokerProperties } = serializer.serialize({
    body: valueFromJsonAt(body, "$.repair.body"),
    ...(contentType !== undefined && { contentType }),
  });
  return { payload, bodyKind, brokerProperties };
}

/** A payload that a stage cannot undo is replaced as it is. */
async function unstagedOrSame(stages: readonly PayloadStage[], envelope: Envelope): Promise<Envelope> {
  try {
    return await unstaged(stages, envelope);
  } catch {
    return amend(envelope, { brokerProperties: { contentEncoding: undefined } });
  }
}

function withProperties(envelope: Envelope, { brokerProperties, applicationProperties }: RepairInit): Envelope {
  const { payload, bodyKind, brokerProperties: broker, applicationProperties: application } = envelope;
  const checked = checkParts({
    payload,
    bodyKind,
    brokerProperties: { ...broker, ...givenProperties(brokerProperties, "brokerProperties") },
    applicationProperties: { ...application, ...givenProperties(applicationProperties, "applicationProperties") },
  });
  // Sections of parts that are the same objects are forwarded byte for byte.
  return withParts(
    envelope,
    payload,
    brokerProperties === undefined ? broker : checked.brokerProperties,
    applicationProperties === undefined ? application : checked.applicationProperties,
  );
}

/** `null` removes a property. */
const givenProperties = (
  properties: RepairInit["brokerProperties"],
  member: string,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(properties ?? {}).map(([name, value]) => [
      name,
      value === null ? undefined : valueFromJsonAt(value, `$.repair.${member}.${name}`),
    ]),
  );
