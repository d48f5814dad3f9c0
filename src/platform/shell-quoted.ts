// Quotes texts for a shell, in commands that are shown to people.

/** Quotes a text, so that a shell interprets nothing in it. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Formats a command with its arguments, quoted only where a shell requires it. */
export function toCommand(command: readonly string[]): string {
  return command.map(toWord).join(" ");
}

function toWord(word: string): string {
  if (/^[\w./:=@%,+-]+$/.test(word)) return word;
  // Double quotes are preferred, because `cmd` of Windows knows no others.
  return /[$`"\\!]/.test(word) ? quote(word) : `"${word}"`;
}
