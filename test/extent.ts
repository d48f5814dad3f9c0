// How often a test repeats what it does: few times in `npm test`, some in CI, which sets SANDBOX_LONG=brief, and as many as tell something
// new with SANDBOX_LONG=1, as `npm run test:long` does. Which tests run is the same in the two long forms but for
// two files (test/vitest.config.ts), and all that `npm test` does in these files is done there too.

/** The numbers of `npm test`, of CI and of the long run, or whatever else differs in them. */
export const extent = <T>(byDefault: T, brief: T, long: T): T => {
  const given = process.env.SANDBOX_LONG;
  return given ? (given === "brief" ? brief : long) : byDefault;
};
