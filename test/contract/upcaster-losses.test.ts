import { describe, expect, it } from "vitest";
import { checkCompatibility } from "../../src/contract/index.ts";
import { SobreError } from "../../src/core/errors/sobre-error.ts";

const text = { type: "string" };
const time = { type: "string", format: "date-time" };

interface Payment {
  readonly id: string;
  readonly amount: number;
  readonly currency: string;
  readonly paidAt: string;
  readonly retries?: number;
  readonly tags?: readonly string[];
  readonly customer?: { readonly name: string; readonly email?: string };
}

const payments = [
  {
    type: "object",
    properties: {
      id: { type: "string", maxLength: 36 },
      amount: { type: "number", minimum: 0 },
      currency: { enum: ["EUR", "USD"] },
      paidAt: time,
      retries: { type: "integer", minimum: 0, maximum: 5 },
      tags: { type: "array", items: text },
      customer: { type: "object", properties: { name: text, email: text }, required: ["name"] },
    },
    required: ["id", "amount", "currency", "paidAt"],
  },
  {
    type: "object",
    properties: {
      id: { type: "string", maxLength: 36 },
      minor: { type: "integer", minimum: 0 },
      currency: { enum: ["EUR", "USD", "GBP"] },
      paidAt: time,
      attempts: { type: "integer", minimum: 1, maximum: 6 },
      tags: { type: "array", items: text },
      customer: {
        type: "object",
        properties: { name: text, email: { type: ["string", "null"], default: null } },
        required: ["name", "email"],
      },
      source: { type: "string", default: "web" },
    },
    required: ["id", "minor", "currency", "paidAt", "attempts", "tags", "source"],
    additionalProperties: false,
  },
] as const;

const paid = ({ id, amount, currency, paidAt, retries = 0, tags = [], customer }: Payment) => ({
  id,
  minor: Math.round(amount * 100),
  currency,
  paidAt,
  attempts: retries + 1,
  tags,
  ...(customer === undefined ? {} : { customer: { name: customer.name, email: customer.email ?? null } }),
  source: "web",
});

type Changes = Readonly<Record<string, unknown>>;
const change =
  (changes: (payment: Payment, right: ReturnType<typeof paid>) => Changes) =>
  (payment: Payment): unknown => ({ ...paid(payment), ...changes(payment, paid(payment)) });
const ofTags = (map: (tags: readonly string[]) => unknown) => change(({ tags = [] }) => ({ tags: map(tags) }));
const ofName = (map: (name: string) => unknown) =>
  change(({ customer }, right) =>
    customer === undefined ? {} : { customer: { ...right.customer, name: map(customer.name) } },
  );

const paymentFaults: readonly (readonly [string, (payment: Payment) => unknown])[] = [
  ["cents that are not rounded", change(({ amount }) => ({ minor: amount * 100 }))],
  ["cents with the sign turned", change((_, { minor }) => ({ minor: -minor - 1 }))],
  ["cents as text", change(({ amount }) => ({ minor: (amount * 100).toFixed(0) }))],
  ["cents of a large amount as infinity", change(({ amount }) => ({ minor: amount > 1e20 ? Infinity : 1 }))],
  ["an id in lower case", change(({ id }) => ({ id: id.toLowerCase() }))],
  ["an id without blanks around it", change(({ id }) => ({ id: id.trim() }))],
  ["an id that is cut", change(({ id }) => ({ id: id.slice(0, 8) }))],
  ["an id that grows beyond its length", change(({ id }) => ({ id: `p-${id}` }))],
  ["an id that is escaped", change(({ id }) => ({ id: encodeURIComponent(id).slice(0, 36) }))],
  ["an id that is turned round", change(({ id }) => ({ id: id.split("").toReversed().join("") }))],
  ["an id that became a number", change(({ id }) => ({ id: Number(id) }))],
  ["an id that is lost", change(() => ({ id: undefined }))],
  ["an id and a currency that are swapped", change(({ id, currency }) => ({ id: currency, currency: id }))],
  [
    "an id and a name that are swapped",
    change(({ id, customer }, right) =>
      customer === undefined ? {} : { id: customer.name.slice(0, 36), customer: { ...right.customer, name: id } },
    ),
  ],
  ["a currency that is always the first", change(() => ({ currency: "EUR" }))],
  ["a currency that is always the new one", change(() => ({ currency: "GBP" }))],
  ["a currency in lower case", change(({ currency }) => ({ currency: currency.toLowerCase() }))],
  ["a time without its zone", change(({ paidAt }) => ({ paidAt: paidAt.slice(0, 19) }))],
  ["a time whose offset was taken for UTC", change(({ paidAt }) => ({ paidAt: `${paidAt.slice(0, 19)}Z` }))],
  ["a time of the day after", change(({ paidAt }) => ({ paidAt: new Date(Date.parse(paidAt) + 864e5).toISOString() }))],
  ["a time as milliseconds", change(({ paidAt }) => ({ paidAt: Date.parse(paidAt) }))],
  ["a time as a date", change(({ paidAt }) => ({ paidAt: paidAt.slice(0, 10) }))],
  ["attempts one too few", change((_, { attempts }) => ({ attempts: attempts - 1 }))],
  ["attempts one too many", change((_, { attempts }) => ({ attempts: attempts + 1 }))],
  ["attempts of nothing", change(({ retries }) => ({ attempts: Number(retries) + 1 }))],
  ["tags in another order", ofTags((tags) => tags.toSorted())],
  ["tags in reverse", ofTags((tags) => tags.toReversed())],
  ["tags without duplicates", ofTags((tags) => Array.from(new Set(tags)))],
  ["tags of which the first is left", ofTags((tags) => tags.slice(0, 1))],
  ["tags without empty ones", ofTags((tags) => tags.filter((tag) => tag !== ""))],
  ["tags in upper case", ofTags((tags) => tags.map((tag) => tag.toUpperCase()))],
  ["tags as one text", ofTags((tags) => tags.join())],
  ["tags that are null where there are none", ofTags((tags) => (tags.length === 0 ? null : tags))],
  ["a name in capitals", ofName((name) => name.toUpperCase())],
  ["a name without what is not ASCII", ofName((name) => name.replaceAll(/[^ -~]/g, ""))],
  ["a name in another normal form", ofName((name) => name.normalize("NFD"))],
  ["a name that is cut within a character", ofName((name) => name.slice(0, 5))],
  ["a customer who is lost", change(() => ({ customer: undefined }))],
  [
    "an address that is lost",
    change((_, { customer }) => (customer ? { customer: { ...customer, email: null } } : {})),
  ],
  [
    "an address that is empty instead of null",
    change(({ customer }, right) => (customer ? { customer: { ...right.customer, email: customer.email ?? "" } } : {})),
  ],
  ["a source that is missing", change(() => ({ source: undefined }))],
  ["a source that is not the default", change(() => ({ source: "app" }))],
  ["a member under its old name", change(({ amount }) => ({ amount }))],
  ["an exception where a part is missing", change(({ customer }) => ({ x: customer?.name.length ?? fail() }))],
];

type Shipment =
  | { readonly kind: "parcel"; readonly weight: number }
  | { readonly kind: "letter"; readonly stamps: number }
  | { readonly kind: "freight"; readonly pallets: number };

const variant = (kind: string, properties: object) => ({
  type: "object",
  properties: { kind: { const: kind }, ...properties },
  required: ["kind", ...Object.keys(properties)],
});
const pallets = { type: "integer", minimum: 1 };
const shipments = [
  {
    oneOf: [
      variant("parcel", { weight: { type: "number", minimum: 0 } }),
      variant("letter", { stamps: { type: "integer" } }),
      variant("freight", { pallets }),
    ],
  },
  {
    oneOf: [
      variant("parcel", { grams: { type: "integer", minimum: 0 } }),
      variant("letter", { stamps: { type: "integer" } }),
      variant("freight", { pallets, hazardous: { type: "boolean", default: false } }),
    ],
  },
] as const;

const shipped = (one: Shipment): Changes => {
  if (one.kind === "parcel") return { kind: one.kind, grams: Math.round(one.weight * 1000) };
  return one.kind === "letter" ? { ...one } : { ...one, hazardous: false };
};

const shipmentFaults: readonly (readonly [string, (shipment: Shipment) => unknown])[] = [
  ["a kind that is forgotten", (one) => (one.kind === "freight" ? one : shipped(one))],
  ["a kind that is taken for another", (one) => (one.kind === "letter" ? { kind: "parcel", grams: 20 } : shipped(one))],
  ["a kind that is lost", (one) => (one.kind === "letter" ? undefined : shipped(one))],
  [
    "grams that are not rounded",
    (one) => (one.kind === "parcel" ? { kind: one.kind, grams: one.weight * 1000 } : shipped(one)),
  ],
  ["stamps off by one", (one) => (one.kind === "letter" ? { ...one, stamps: one.stamps + 1 } : shipped(one))],
  ["pallets without a remainder", (one) => (one.kind === "freight" ? { ...shipped(one), pallets: 1 } : shipped(one))],
  ["a default that is the opposite", (one) => (one.kind === "freight" ? { ...one, hazardous: true } : shipped(one))],
];

const search = ([older, newer]: readonly [object, object], upcast: (body: never) => unknown) =>
  checkCompatibility({
    format: "json-schema",
    older,
    newer,
    contentModel: "upcast",
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the comparison hands over what the older schema describes
    upcast: (value) => upcast(value as never),
  });

describe("the search for what an upcaster loses", () => {
  it("finds nothing in the right ones", async () => {
    for (const { verdict, findings } of [await search(payments, paid), await search(shipments, shipped)])
      expect([verdict, findings.map(({ message }) => message)]).toEqual(["tested", []]);
  });

  it.each(paymentFaults)("finds %s of a payment", async (_, upcast) => {
    const { findings } = await search(payments, upcast);

    expect(findings[0]?.witness).toBeDefined();
  });

  it.each(shipmentFaults)("finds %s of a shipment", async (_, upcast) => {
    const { findings } = await search(shipments, upcast);

    expect(findings[0]?.witness).toBeDefined();
  });

  it("warns of a loss without a break, and says where", async () => {
    const { verdict, findings } = await search(
      payments,
      change(({ id }) => ({ id: id.trim() })),
    );

    expect([verdict, findings.map(({ severity, instancePointer }) => [severity, instancePointer])]).toEqual([
      "tested",
      [["warning", "/id"]],
    ]);
  });

  it("shows what the upcaster throws, with what caused it and where", async () => {
    const { findings } = await search(payments, () => {
      throw new SobreError("ValidationFailed", "The body is wrong.", {
        path: "$.lines[0]",
        cause: new TypeError("no text"),
      });
    });

    expect(findings[0]?.message).toContain("ValidationFailed: The body is wrong. at $.lines[0] (TypeError: no text)");
  });
});

function fail(): never {
  throw new TypeError("no customer");
}
