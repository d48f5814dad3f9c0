// How the program prints its own commands for a reader to paste.

/** Without the option, npx offers to install another package of this name where ours is missing. */
const PROGRAM = "npx --no-install sandbox";

/** `words`: what follows the name of the program. The command works in a clone, and in a project that has the package installed. */
export const formatCommand = (words: string): string => `${PROGRAM} ${words}`;
