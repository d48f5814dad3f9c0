// Lines of a report for people: folded at the width of the terminal, and the end of what a program printed.

/** A text whose later lines begin at `indent`; its first one after a head that is `taken` wide. */
export function hang(
  head: string,
  { taken, indent }: { taken: number; indent: number },
  text: string,
  width: number,
): string[] {
  const [first = "", ...rest] = wrap(text, Math.max(LEAST, width - indent), Math.max(LEAST, width - taken));
  return [`${head}${first}`, ...rest.map((line) => " ".repeat(indent) + line)];
}

/** Of what stands below a line. */
export const INDENT = " ".repeat(6);

export function indented(text: string, indent: string, width: number): string[] {
  return wrap(text, Math.max(30, width - indent.length)).map((line) => `${indent}${line}`);
}

/** Characters; a narrower column would be a tower of words. */
const LEAST = 12;

export function wrap(text: string, width: number, first = width): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    const room = lines.length <= 1 ? first : width;
    if (last === undefined || last.length + word.length + 1 > room) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

/** The end of what the program printed says best why it is not as it should be. */
export function tailOf(output = ""): string[] {
  const lines = output.trimEnd().split("\n").slice(-12);
  return output.trim() === "" ? [] : ["", "  It printed at the end:", ...lines.map((line) => `  | ${line}`)];
}
