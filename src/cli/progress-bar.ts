import { SingleBar } from "cli-progress";

/** A progress bar. */
export interface ProgressBar {
  /** Starts a new stretch of work; `total` is `undefined` when it is unknown. */
  begin(title: string, total: number | undefined): void;
  update(done: number, messages: number): void;
  /** Removes the bar from the screen. */
  end(): void;
}

/** A progress bar on a terminal; anywhere else nothing is shown. */
export function progressBar(stream: NodeJS.WriteStream): ProgressBar {
  if (!stream.isTTY) return { begin() {}, update() {}, end() {} };
  let bar: SingleBar | undefined;
  return {
    begin(title, total) {
      bar?.stop();
      const filled = total === undefined ? "" : "{bar} {percentage}% ";
      bar = new SingleBar({
        format: `${title} ${filled}{messages} messages {duration_formatted}`,
        stream,
        clearOnComplete: true,
        hideCursor: true,
        barsize: 30,
        barCompleteChar: "█",
        barIncompleteChar: "░",
        fps: 5,
        etaBuffer: 1,
      });
      bar.start(total ?? 1, 0, { messages: 0 });
    },
    update: (done, messages) => bar?.update(done, { messages }),
    end() {
      bar?.stop();
      bar = undefined;
    },
  };
}
