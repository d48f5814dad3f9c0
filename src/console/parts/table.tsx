// A table with column headings.
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** A column heading: a text, a heading of a numeric column, or another element. */
type Column = string | { number: string } | { cell: ComponentChildren };

interface TableProps {
  columns: readonly Column[];
  label?: string;
  look?: string;
  children: ComponentChildren;
}

/** With a label, the table gets a box of its own that scrolls. */
export function Table({ columns, label, look = "panel", children }: TableProps) {
  const body = useRef<HTMLTableSectionElement>(null);
  // A phone shows each row as lines, with the column name before each cell.
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

/** Column headings above a list whose lines use the same grid. */
export const Headings = ({ look, names }: { look: string; names: readonly string[] }) => (
  <p class={`${look} headings`} aria-hidden="true">
    {names.map((name, index) => (
      <span key={index}>{name}</span>
    ))}
  </p>
);

const getColumnName = (column: Column | undefined): string =>
  typeof column === "string" ? column : column && "number" in column ? column.number : "";

/** A heading that is not text becomes a `td`, because it names no column. */
function renderHeading(column: Column, index: number) {
  if (typeof column === "object" && "cell" in column) return <td key={index}>{column.cell}</td>;
  const isNumber = typeof column === "object";
  return (
    <th key={index} scope="col" class={isNumber ? "number" : undefined}>
      {isNumber ? column.number : column}
    </th>
  );
}
