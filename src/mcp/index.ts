// The Model Context Protocol, for whoever needs it. It is bundled into a file of its own, which is read when this is imported.
export { openSession } from "./server.ts";
export { speakOnStdio } from "./stdio.ts";
export { removeWorldAt } from "./world-of-session.ts";
