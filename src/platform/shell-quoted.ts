// Texts as words of a shell, for the commands that people are shown.

/** Quoted for a shell, which then interprets nothing in it. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A command with its arguments, quoted only where a shell would read them otherwise. */
export function toCommand(command: readonly string[]): string {
  return command.map(toWord).join(" ");
}

function toWord(word: string): string {
  if (/^[\w./:=@%,+-]+$/.test(word)) return word;
  // Double quotes where they are enough: `cmd` of Windows knows no others.
  return /[$`"\\!]/.test(word) ? quote(word) : `"${word}"`;
}
