// Formats commands of this program for readers to paste.

/** The option keeps npx from offering another package with this name where this one is missing. */
const PROGRAM = "npx --no-install sandbox";

/** `words` follow the name of the program. The command works in a clone and in a project that has the package installed. */
export const formatCommand = (words: string): string => `${PROGRAM} ${words}`;
