import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { earlyAnswers, shortLog, watched } from "../proof/durable/order-faults.ts";
import { faults } from "../proof/engine/faults.ts";
import { suiteFaults } from "../proof/engine/suite-faults.ts";

const folders = ["memory", "../broker/policy", "../core/engine"].map(
  (name) => new URL(`../../src/broker/${name}/`, import.meta.url),
);

describe("the faults that the proofs plant in the engine", () => {
  it.each([...faults, ...suiteFaults])("have one place in the sources: $name", ({ file, find }) => {
    const sources = folders.map((folder) => new URL(file, folder)).filter((path) => existsSync(path));
    const places = sources.flatMap((path) => readFileSync(path, "utf8").split(find).slice(1));

    expect(places).toHaveLength(1);
  });

  it.each([...earlyAnswers, { name: "other settings", faults: [...shortLog, ...watched] }])(
    "have one place each in the sources: $name",
    ({ faults: planted }) => {
      for (const { file, find } of planted) {
        const source = readFileSync(new URL(`../../src/broker/${file}`, import.meta.url), "utf8");
        expect(source.split(find)).toHaveLength(2);
      }
    },
  );
});
