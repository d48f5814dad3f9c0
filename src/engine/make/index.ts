// The entry point for the composition root: creates the parts of the engine in their order.
export { assertValidSettings, createClose, makeApplication, startEngine, startStoredWorld } from "./application.ts";
export { createEngine, type Engine } from "./engine.ts";
export { makeRandom, makeToken, makeWorldId, toCredentialKey } from "./random.ts";
export { type Data, findFixtures, readFixtureOnce } from "./worlds.ts";
