// Loaded before the sandbox in a process of its own: every name that ends in .rebound.test resolves to the address before it.
const dns = require("node:dns");

const really = dns.lookup;

dns.lookup = function lookup(name, options, done) {
  const [, spelt] = /^([\w-]+)\.rebound\.test$/.exec(name) ?? [];
  if (!spelt) return really(name, options, done);
  const address = spelt.includes("--") ? spelt.replaceAll("-", ":") : spelt.replaceAll("-", ".");
  setImmediate(() => done(null, [{ address, family: address.includes(":") ? 6 : 4 }]));
};
