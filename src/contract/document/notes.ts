// Formats assumptions as notes at the end of descriptions.

/** An entry of the list of assumptions, with its current value. */
export interface Assumption {
  id: string;
  gap: string;
  /** A sentence about what applies. */
  holds: string;
  basis: readonly string[];
  value: string;
  default: string;
  others: readonly { value: string; meaning: string }[];
}

export const NOTE = "\n\n> **Assumed: ";

const BASIS: Readonly<Record<string, string>> = {
  published: "published material",
  "client-traffic": "what known clients send",
  standard: "a standard",
  "own-choice": "our own choice",
};

export const code = (text: string): string => `\`${text}\``;

/** Returns a description without its notes. */
export const omitNotes = (description: string): string => description.split(NOTE)[0] ?? "";

/** Formats the note of an assumption. `query` names the world in the link to the screen that can override it. */
export function noteOf(
  { id, gap, holds, basis, value, default: byDefault, others }: Assumption,
  query: string,
): string {
  const why = basis.map((each) => BASIS[each] ?? each).join(" and ");
  const inForce = value === byDefault ? code(value) : `${code(value)}, which is not the default`;
  const flips = others.map((other) => `${code(other.value)} (${omitStop(other.meaning)})`).join(", ");
  const [first] = others;
  const flip = first
    ? `Other values: ${flips}. Override it with \`sandbox assume ${id}=${first.value}\`.`
    : "There is no other value.";
  return `${NOTE}[${id}](/_sandbox/ui/assumptions/${id}${query}).** ${toOneLine(gap)} ${toOneLine(holds)}\n>\n> Basis: ${why}. In force: ${inForce}. ${flip}`;
}

const toOneLine = (text: string): string => text.replace(/\s+/g, " ").trim();
const omitStop = (text: string): string => toOneLine(text).replace(/\.$/, "");
