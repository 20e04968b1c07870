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

/** The names in the order of the sections. */
export const sectionNames: readonly SectionName[] = [
  "header",
  "deliveryAnnotations",
  "messageAnnotations",
  "properties",
  "applicationProperties",
  "data",
  "sequence",
  "value",
  "footer",
];

/** The descriptor code of the first section. */
export const firstDescriptor = 0x70;

/** Sections by their symbolic descriptors, which few peers write and all must read. */
export const sectionBySymbol: ReadonlyMap<string, number> = new Map([
  ["amqp:header:list", section.header],
  ["amqp:delivery-annotations:map", section.deliveryAnnotations],
  ["amqp:message-annotations:map", section.messageAnnotations],
  ["amqp:properties:list", section.properties],
  ["amqp:application-properties:map", section.applicationProperties],
  ["amqp:data:binary", section.data],
  ["amqp:amqp-sequence:list", section.sequence],
  ["amqp:amqp-value:*", section.value],
  ["amqp:footer:map", section.footer],
]);
