/** Something in the sources of .NET types that a contract does not express, at its place. */
export interface SourceProblem {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** A sentence. */
  readonly message: string;
}

/** Source text that the reader does not understand; caught where reading can go on. */
export class NotUnderstood extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}
