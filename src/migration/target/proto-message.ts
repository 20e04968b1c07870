import { isObject, setMember } from "../../core/values/plain-object.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import type { ProtoForm, ProtoMessage, ProtoPlan } from "./proto-plan.ts";

/** Converts a lowered body to the message of a plan. */
export function toProto(plain: unknown, plan: ProtoPlan): unknown {
  return messageFromPlain(plan.wrapped ? { value: plain } : plain, plan.root);
}

/** The lowered body of a message; the inverse of {@link toProto}, except that null and absent are not distinguished. */
export function fromProto(message: unknown, plan: ProtoPlan): unknown {
  const plain = plainFromMessage(message, plan.root);
  return plan.wrapped ? (plain["value"] ?? null) : plain;
}

function messageFromPlain(plain: unknown, { fields }: ProtoMessage): unknown {
  if (!isObject(plain)) throw unsupported();
  const message: Record<string, unknown> = {};
  for (const { member, field, form } of fields) {
    const value = Object.hasOwn(plain, member) ? plain[member] : undefined;
    if (value !== undefined && value !== null) message[field] = fieldFromPlain(value, form);
  }
  return message;
}

function fieldFromPlain(plain: unknown, form: ProtoForm): unknown {
  switch (form.kind) {
    case "scalar":
      return plain;
    case "json":
      return JSON.stringify(plain, jsonLeaf);
    case "message":
      return messageFromPlain(plain, form.message);
    case "list": {
      if (!Array.isArray(plain)) throw unsupported();
      const items = plain.map((item) => fieldFromPlain(item, form.item));
      return inWrapper(items, form);
    }
    case "dictionary":
      if (!isObject(plain)) throw unsupported();
      return inWrapper(
        Object.fromEntries(Object.entries(plain).map(([key, value]) => [key, fieldFromPlain(value, form.value)])),
        form,
      );
    default:
      return form satisfies never;
  }
}

function plainFromMessage(message: unknown, { fields }: ProtoMessage): Record<string, unknown> {
  const plain: Record<string, unknown> = {};
  if (!isObject(message)) return plain;
  for (const { member, field, form, nullable } of fields) {
    const value = message[field];
    if (value !== undefined) setMember(plain, member, plainFromField(value, form));
    else if (nullable) setMember(plain, member, null);
  }
  return plain;
}

function plainFromField(value: unknown, form: ProtoForm): unknown {
  switch (form.kind) {
    case "scalar":
      return value;
    case "json":
      return typeof value === "string" ? JSON.parse(value) : value;
    case "message":
      return plainFromMessage(value, form.message);
    case "list": {
      const items = outOfWrapper(value, form);
      return Array.isArray(items) ? items.map((item) => plainFromField(item, form.item)) : items;
    }
    case "dictionary": {
      const items = outOfWrapper(value, form);
      return isObject(items)
        ? Object.fromEntries(Object.entries(items).map(([key, item]) => [key, plainFromField(item, form.value)]))
        : items;
    }
    default:
      return form satisfies never;
  }
}

/** Wraps items in a message, so that an empty list differs from null. */
function inWrapper(items: unknown, { wrapper }: { readonly wrapper: string | undefined }): unknown {
  return wrapper === undefined ? items : { items };
}

function outOfWrapper(value: unknown, { wrapper }: { readonly wrapper: string | undefined }): unknown {
  return wrapper === undefined || !isObject(value) ? value : value["items"];
}

/** JSON lacks these types; the comparison accepts their text instead. */
function jsonLeaf(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (typeof value === "number" && !Number.isFinite(value))
    return Number.isNaN(value) ? "NaN" : value > 0 ? "INF" : "-INF";
  return value;
}

function unsupported(): SobreError {
  return new SobreError(
    "UnsupportedValue",
    "The body differs in form from the messages from which the Protobuf schema of its type was inferred.",
  );
}
