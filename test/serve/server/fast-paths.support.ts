import { expect, vi } from "vitest";
import { FrameWriter } from "../../../src/wire/amqp/connection/frame-writer.ts";
import { code } from "../../../src/wire/amqp/connection/performative.ts";
import { AmqpSession } from "../../../src/wire/amqp/connection/session.ts";
import { SingleFrameDisposition, SingleFrameTransfer } from "../../../src/wire/amqp/connection/single-frame.ts";
import { SectionLayout } from "../../../src/wire/amqp/message/section-layout.ts";

/** How many of the frames of one kind took the short way. */
export interface Hits {
  readonly short: number;
  readonly all: number;
}

const truths = (results: readonly { readonly value: unknown }[]): number =>
  results.filter(({ value }) => value === true).length;

/** Counts the frames that the server reads and writes from here on. */
export function counting(): () => Readonly<Record<"transfers" | "dispositions" | "deliveries", Hits>> {
  const frames = vi.spyOn(AmqpSession.prototype, "singleFrame");
  const transfer = vi.spyOn(SingleFrameTransfer.prototype, "read");
  const disposition = vi.spyOn(SingleFrameDisposition.prototype, "read");
  const layout = vi.spyOn(SectionLayout.prototype, "read");
  const direct = vi.spyOn(FrameWriter.prototype, "message");
  const long = vi.spyOn(FrameWriter.prototype, "transfer");
  return () => {
    const kinds = frames.mock.calls.map(([kind]) => kind);
    // Answers of $cbs and $management are separate transfers: only deliveries have a layout.
    const deliveries = direct.mock.results.length;
    expect(truths(direct.mock.results)).toBe(deliveries);
    expect(long.mock.calls.every(([, { settled }]) => settled === true)).toBe(true);
    return {
      transfers: { short: truths(transfer.mock.results), all: kinds.filter((kind) => kind === code.transfer).length },
      dispositions: {
        short: truths(disposition.mock.results),
        all: kinds.filter((kind) => kind === code.disposition).length,
      },
      deliveries: { short: truths(layout.mock.results), all: deliveries },
    };
  };
}
