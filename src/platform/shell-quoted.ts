// Texts as words of a shell, for the commands that people are shown.

/** Quoted for a shell, which then interprets nothing in it. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A command with its arguments, quoted only where a shell would read them otherwise. */
export function typed(command: readonly string[]): string {
  return command.map(asWord).join(" ");
}

function asWord(word: string): string {
  if (/^[\w./:=@%,+-]+$/.test(word)) return word;
  // Double quotes where they are enough: `cmd` of Windows knows no others.
  return /[$`"\\!]/.test(word) ? quoted(word) : `"${word}"`;
}
