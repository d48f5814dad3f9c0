// Loaded into a server that is measured: on SIGUSR2 it prints what its heap takes, and what is in use of all its memory.
process.on("SIGUSR2", () => {
  const used = process.memoryUsage().heapUsed;
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  process.stdout.write(`${JSON.stringify({ used, live: heapUsed + external })}\n`);
});
