// The entry point of the Model Context Protocol. It is bundled into its own file, which is loaded on the first import.
export { openSession, removeWorldAt } from "./server.ts";
export { connectStdio } from "./stdio.ts";
