/**
 * One of our own commands as a reader can paste it. `npx` alone would offer to install another package of this name where ours is missing.
 * Works in a project that has the package installed, and in a clone of the repository.
 */
export const formatCommand = (words: string): string => `npx --no-install sandbox ${words}`;
