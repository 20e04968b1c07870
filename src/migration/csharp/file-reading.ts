import { NotUnderstood, type SourceProblem } from "./source-problem.ts";
import type { TokenCursor } from "./token-cursor.ts";

/** More problems of a file are not listed. */
const maxProblems = 100;

/** The problems of one file. */
export class FileReading {
  readonly problems: SourceProblem[] = [];
  readonly #file: string;
  readonly #cursor: TokenCursor;

  constructor(file: string, cursor: TokenCursor) {
    this.#file = file;
    this.#cursor = cursor;
  }

  /** Reads a part of the file; notes what is not understood, and continues after it. */
  attempt(read: () => void): void {
    const cursor = this.#cursor;
    const from = cursor.at;
    try {
      read();
    } catch (error) {
      if (!(error instanceof NotUnderstood)) throw error;
      this.note(error.line, error.message);
      cursor.recover();
    }
    // Whatever comes: reading ends.
    if (cursor.at === from && !cursor.isAtEnd && !cursor.is("}")) cursor.at++;
  }

  /** Notes a problem. */
  note(line: number, message: string): void {
    if (this.problems.length < maxProblems) this.problems.push({ file: this.#file, line, message });
  }
}
