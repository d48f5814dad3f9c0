// The entry point for the composition root: creates the parts of the engine in their order.
export { makeApplication } from "./application.ts";
export { findFixtures, getDist, isBuilt, readOnce } from "./fixtures.ts";
export { makeRandom, makeToken, makeWorldId, toCredentialKey } from "./random.ts";
export { beginStored, closing, mustBeSound, start } from "./start.ts";
export { makePast, makeWorldStates } from "./states.ts";
export { makeTime, type Time } from "./time.ts";
export { makeWebhooks } from "./webhooks.ts";
export { type Data, type Floor, makeFloor, makeGround } from "./worlds.ts";
