// The package has no types of its own, and one function uses it.
declare module "node-forge/lib/*.js";
