// The entry point of the Model Context Protocol. It is bundled into its own file, which is loaded on the first import.
export { openSession } from "./server.ts";
export { removeWorldAt } from "./session-world.ts";
export { connectStdio } from "./stdio.ts";
