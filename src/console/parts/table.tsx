// A table with column headings, and the headings of a list.
import type { ComponentChildren } from "preact";

/** A column heading: a text, a heading of a numeric column, or another element. */
type Column = string | { number: string } | { cell: ComponentChildren };

interface TableProps {
  columns: readonly Column[];
  label: string;
  look?: string;
  children: ComponentChildren;
}

/** A table in a box of its own that scrolls. */
export const Table = ({ columns, label, look = "panel", children }: TableProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by the keyboard
  <section class={`scroll ${look}`} aria-label={label} tabIndex={0}>
    <table class="rows">
      <thead>
        <tr>{columns.map(renderHeading)}</tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </section>
);

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

/** Column headings above a list whose lines use the same grid. */
export const Headings = ({ look, names }: { look: string; names: readonly string[] }) => (
  <p class={`${look} headings`} aria-hidden="true">
    {names.map((name, index) => (
      <span key={index}>{name}</span>
    ))}
  </p>
);
