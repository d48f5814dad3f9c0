// The entry point for the composition root: creates the parts of the engine in their order.
export { beginStored, closing, makeApplication, mustBeSound, start } from "./application.ts";
export { createEngine, type Engine } from "./engine.ts";
export { makeRandom, makeToken, makeWorldId, toCredentialKey } from "./random.ts";
export { type Data, findFixtures, readOnce } from "./worlds.ts";
