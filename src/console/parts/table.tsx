// A table with the names of its columns; with a label of its own it stands in a box that scrolls.
import type { ComponentChildren } from "preact";

/** The name of a column; of one with figures; or what stands there in the place of a name. */
type Column = string | { number: string } | { cell: ComponentChildren };

interface Props {
  columns: readonly Column[];
  label?: string;
  look?: string;
  children: ComponentChildren;
}

export function Table({ columns, label, look = "panel", children }: Props) {
  const table = (
    <table>
      <thead>
        <tr>{columns.map(head)}</tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
  if (label === undefined) return table;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by the keyboard
    <section class={`scroll ${look}`} aria-label={label} tabIndex={0}>
      {table}
    </section>
  );
}

function head(column: Column, index: number) {
  if (typeof column === "object" && "cell" in column) return <td key={index}>{column.cell}</td>;
  const isNumber = typeof column === "object";
  return (
    <th key={index} scope="col" class={isNumber ? "number" : undefined}>
      {isNumber ? column.number : column}
    </th>
  );
}
