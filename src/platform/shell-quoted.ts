// Texts as words of a shell, for the commands that people are shown.

/** Quoted for a shell, which then interprets nothing in it. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A command with its arguments, where most need no quotes. */
export function typed(command: readonly string[]): string {
  return command.map((word) => (/^[\w./:=@,+-]+$/.test(word) ? word : JSON.stringify(word))).join(" ");
}
