import { checkOption, listOf, sequenceNumber } from "../options/option-checks.ts";

/** The numbers as a list. @throws SobreError `InvalidArgument` for what is no number of a message. */
export function sequenceNumbersOf(numbers: bigint | readonly bigint[]): readonly bigint[] {
  const list = typeof numbers === "bigint" ? [numbers] : numbers;
  checkOption("sequenceNumbers", list, listOf("bigints", sequenceNumber));
  return list;
}
