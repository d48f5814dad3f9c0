// A text as one word of a shell, for the commands that people are shown.

/** Quoted for a shell, which then interprets nothing in it. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
