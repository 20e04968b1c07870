import type { BrokerProperties, ReadOnlyProperty } from "../../../core/envelope/broker-properties.ts";
import { brokerPropertyTable, settableRows } from "../../../core/envelope/broker-property-table.ts";

type Property = keyof BrokerProperties | ReadOnlyProperty;

const names: ReadonlyMap<Property, string> = new Map(
  brokerPropertyTable.map(({ property, amqp }) => [property, amqp.name]),
);

/** The name of the annotation that carries a broker property. */
export const annotationName = (property: Property): string => names.get(property) ?? property;

/** The properties by the names of the message annotations that carry them: brokers and clients of Azure Service Bus use these. */
export const annotated: ReadonlyMap<string, Property> = new Map(
  brokerPropertyTable.flatMap(({ property, amqp }) =>
    amqp.section === "message-annotations" ? [[amqp.name, property]] : [],
  ),
);

/** The properties of a sender that a section carries. */
export const settableIn = (section: "properties" | "message-annotations"): readonly (keyof BrokerProperties)[] =>
  settableRows.filter(({ amqp }) => amqp.section === section).map(({ property }) => property);
