import { errorAt, type PathStep } from "./path.ts";

/**
 * Looks through a whole parsed body for members named `__proto__` (with `protoKey`) and for numbers that are not
 * finite, as JSON.parse makes them of `1e400`.
 *
 * @throws SobreError with this code and the path of the first hazard.
 */
export function refuseHazards(body: unknown, protoKey: boolean, code: "DecodeFailed" | "UnsupportedValue"): void {
  const pending: { readonly value: unknown; readonly step: PathStep | undefined }[] = [
    { value: body, step: undefined },
  ];
  for (const { value, step: parent } of pending) {
    if (typeof value === "number" && !Number.isFinite(value)) {
      throw errorAt(parent, code, "is beyond doubles, and bigints of 4,300 digits");
    }
    if (typeof value !== "object" || value === null) continue;
    const list = Array.isArray(value);
    for (const [key, member] of Object.entries(value)) {
      const step = { parent, key: list ? Number(key) : key };
      if (protoKey && key === "__proto__") {
        throw errorAt(step, code, "is refused by option protoKey of json()");
      }
      if (typeof member === "object" || typeof member === "number") pending.push({ value: member, step });
    }
  }
}
