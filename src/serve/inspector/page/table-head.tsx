import type { JSX } from "./preact.ts";

interface HeadProps {
  readonly columns: readonly string[];
  /** The names of the columns that hold numbers. */
  readonly numbers?: readonly string[];
}

/** The names of a table's columns. */
export const TableHead = ({ columns, numbers = [] }: HeadProps): JSX.Element => (
  <thead>
    <tr>
      {columns.map((name) => (
        <th key={name} scope="col" class={numbers.includes(name) ? "number" : undefined}>
          {name}
        </th>
      ))}
    </tr>
  </thead>
);
