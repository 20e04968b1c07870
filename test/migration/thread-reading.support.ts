import { createSerializer, type Serializer } from "../../src/core/codec/index.ts";
import { json } from "../../codecs/json/index.ts";
import { legacy } from "../../codecs/legacy/index.ts";

/** How the threads of the tests read. */
export function reading({ fails = false }: { readonly fails?: boolean } = {}): { readonly serializer: Serializer } {
  const readers = legacy();
  const serializer = createSerializer({
    codecs: [json(), ...readers],
    fallback: ["json", ...readers],
    whenUnknown: "fallback",
  });
  if (!fails) return { serializer };
  return {
    serializer: {
      ...serializer,
      deserialize() {
        throw new TypeError("a reader that breaks");
      },
    },
  };
}
