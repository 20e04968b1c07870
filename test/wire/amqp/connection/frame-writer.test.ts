import { expect, it } from "vitest";
import { FrameWriter } from "../../../../src/wire/amqp/connection/frame-writer.ts";

it("writes an error with all of its fields, since the official Python client reads them by their places", () => {
  const writer = new FrameWriter();

  writer.close({ condition: "amqp:connection:forced", description: "x" });

  const error = Buffer.from(writer.take()).subarray(8);
  const fields = `a316${Buffer.from("amqp:connection:forced").toString("hex")}a1017840`;
  expect(error.toString("hex")).toBe(`005318c0230100531dc01d03${fields}`);
});
