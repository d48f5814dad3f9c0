// The symbol of `await using`. It is missing in globals that a test runner creates, such as jest 29 on Node.js 20. Compiled `await using`
// then uses the symbol that is registered under this name.
const registered = Symbol.for("Symbol.asyncDispose") as typeof Symbol.asyncDispose;

export const asyncDispose: typeof Symbol.asyncDispose = Symbol.asyncDispose ?? registered;
