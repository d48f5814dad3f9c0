// A table with the names of its columns; with a label of its own it stands in a box that scrolls.
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** The name of a column; of one with figures; or what stands there in the place of a name. */
type Column = string | { number: string } | { cell: ComponentChildren };

interface TableProps {
  columns: readonly Column[];
  label?: string;
  look?: string;
  children: ComponentChildren;
}

/** Without a label it stands within a box that has one. */
export function Table({ columns, label, look = "panel", children }: TableProps) {
  const body = useRef<HTMLTableSectionElement>(null);
  // On a phone a row stands as lines, and the name of its column before each cell.
  useLayoutEffect(() => {
    for (const row of body.current?.rows ?? [])
      [...row.cells].forEach((cell, index) => {
        cell.dataset.column = getColumnName(columns[index]);
      });
  });
  const table = (
    <table class="rows">
      <thead>
        <tr>{columns.map(renderHeading)}</tr>
      </thead>
      <tbody ref={body}>{children}</tbody>
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

/** The names above a list whose lines are grids of the same columns. */
export const Headings = ({ look, names }: { look: string; names: readonly string[] }) => (
  <p class={`${look} headings`} aria-hidden="true">
    {names.map((name, index) => (
      <span key={index}>{name}</span>
    ))}
  </p>
);

const getColumnName = (column: Column | undefined): string =>
  typeof column === "string" ? column : column && "number" in column ? column.number : "";

/** An empty place in the row of names is no name, so it is no `th`. */
function renderHeading(column: Column, index: number) {
  if (typeof column === "object" && "cell" in column) return <td key={index}>{column.cell}</td>;
  const isNumber = typeof column === "object";
  return (
    <th key={index} scope="col" class={isNumber ? "number" : undefined}>
      {isNumber ? column.number : column}
    </th>
  );
}
