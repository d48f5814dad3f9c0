// What is assumed, as a note at the end of a description.

/** One entry of the register, as it is in force. */
export interface Assumption {
  id: string;
  gap: string;
  /** What holds, in words. */
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

/** A description as it was before the notes. */
export const omitNotes = (description: string): string => description.split(NOTE)[0] ?? "";

/** `query`: what names the world, for the link to the screen where the assumption can be flipped. */
export function noteOf(
  { id, gap, holds, basis, value, default: byDefault, others }: Assumption,
  query: string,
): string {
  const why = basis.map((each) => BASIS[each] ?? each).join(" and ");
  const inForce = value === byDefault ? code(value) : `${code(value)}, which is not the usual answer`;
  const flips = others.map((other) => `${code(other.value)} (${omitStop(other.meaning)})`).join(", ");
  const [first] = others;
  const flip = first
    ? `Other answers: ${flips}. Take one with \`sandbox assume ${id}=${first.value}\`.`
    : "No other answer can be taken.";
  return `${NOTE}[${id}](/_sandbox/ui/assumptions/${id}${query}).** ${toOneLine(gap)} ${toOneLine(holds)}\n>\n> Basis: ${why}. In force: ${inForce}. ${flip}`;
}

const toOneLine = (text: string): string => text.replace(/\s+/g, " ").trim();
const omitStop = (text: string): string => toOneLine(text).replace(/\.$/, "");
