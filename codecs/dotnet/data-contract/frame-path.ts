import { memberStep } from "../../../src/core/values/member-step.ts";
import type { XmlElement } from "../xml/node.ts";
import { decodeName } from "./element-facts.ts";
import type { ContainerFrame } from "./frames.ts";

/** The path to an element that is read inside the first `depth` frames, e.g. `$.Lines[].Sku`. */
export function framePath(frames: readonly ContainerFrame[], depth: number, element: XmlElement): string {
  let path = "$";
  for (let level = 0; level < depth; level++) {
    const frame = frames[level];
    if (frame !== undefined) path += stepOf(frame, element);
  }
  return path;
}

function stepOf(frame: ContainerFrame, element: XmlElement): string {
  switch (frame.kind) {
    case "list":
      return "[]";
    case "entries":
      return frame.key !== undefined || frame.plan.pairs[frame.index]?.[0] === element ? "[key]" : "[value]";
    default: {
      const child = frame.element.at(frame.index - 1);
      if (child?.kind === "element") return memberStep(decodeName(child.local));
      return child?.kind === "array" ? `${memberStep(decodeName(child.item.local))}[]` : "";
    }
  }
}
