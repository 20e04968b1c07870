/** The sections of an AMQP message in their order (AMQP 1.0 part 3.2), as offsets from the descriptor 0x70 of the first. */
export const section = {
  header: 0,
  deliveryAnnotations: 1,
  messageAnnotations: 2,
  properties: 3,
  applicationProperties: 4,
  data: 5,
  sequence: 6,
  value: 7,
  footer: 8,
} as const;

/** The name of a section. */
export type SectionName = keyof typeof section;

/** The descriptor code of the first section. */
export const firstDescriptor = 0x70;

/** The names in the order of the sections. */
export const sectionNames: readonly SectionName[] = keysOf(section);

function keysOf<Key extends string>(table: Readonly<Record<Key, unknown>>): readonly Key[] {
  const keys: Key[] = [];
  for (const key in table) keys.push(key);
  return keys;
}

/** Sections by their symbolic descriptors, which few peers write and all must read. */
export const sectionBySymbol: ReadonlyMap<string, number> = new Map(
  [
    "amqp:header:list",
    "amqp:delivery-annotations:map",
    "amqp:message-annotations:map",
    "amqp:properties:list",
    "amqp:application-properties:map",
    "amqp:data:binary",
    "amqp:amqp-sequence:list",
    "amqp:amqp-value:*",
    "amqp:footer:map",
  ].map((symbol, place) => [symbol, place]),
);
