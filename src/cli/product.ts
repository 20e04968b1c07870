/** The name and version that `--version` prints. */
export interface Product {
  readonly version: string;
  /** The mailbox that `sobre tour` visits when no folder is named. */
  readonly mailbox: string;
}
