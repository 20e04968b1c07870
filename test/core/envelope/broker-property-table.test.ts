import { describe, expect, it } from "vitest";
import { brokerPropertyTable, settableRows } from "../../../src/core/envelope/broker-property-table.ts";
import { readOnlyProperties } from "../../../src/core/envelope/index.ts";
import { createEnvelope } from "../../../src/core/envelope/index.ts";

describe("the table of broker properties", () => {
  it("names every property once", () => {
    const names = brokerPropertyTable.map(({ property }) => property);

    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => !settableRows.some(({ property }) => property === name)).toSorted()).toEqual(
      readOnlyProperties.toSorted(),
    );
  });

  it("lists as settable what an envelope takes, with values of the type it names", () => {
    const values = { text: "t", id: 1n, key: "k", time: new Date(0), span: 1000 };
    const brokerProperties = Object.fromEntries(settableRows.map(({ property, type }) => [property, values[type]]));

    expect(createEnvelope({ payload: new Uint8Array(0), brokerProperties }).brokerProperties).toEqual(brokerProperties);
  });

  it("keeps the fields of a section in the order of their places", () => {
    for (const section of ["properties", "header"]) {
      const places = settableRows.flatMap(({ amqp }) =>
        "index" in amqp && amqp.section === section ? [amqp.index] : [],
      );

      expect(places).toEqual(places.toSorted((left, right) => left - right));
    }
  });
});
