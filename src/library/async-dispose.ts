// The symbol of `await using`. Globals that a test runner makes for its files, as jest 29 does on Node.js 20, lack it; what a compiler
// makes of `await using` then takes the one that is registered under this name.
const registered = Symbol.for("Symbol.asyncDispose") as typeof Symbol.asyncDispose;

export const asyncDispose: typeof Symbol.asyncDispose = Symbol.asyncDispose ?? registered;
