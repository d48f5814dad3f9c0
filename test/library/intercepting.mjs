// Loaded before a program: every request by `fetch`, node:http or node:https fails, as beside nock and MSW, and so does every connection of
// the global agents, which Node gives the proxy of the environment.
import http from "node:http";
import https from "node:https";
import { syncBuiltinESMExports } from "node:module";
import { inherits } from "node:util";

const intercepted = (name) => () => {
  throw new Error(`intercepted: ${name}`);
};

globalThis.fetch = async () => intercepted("fetch")();
for (const [name, module] of Object.entries({ http, https })) {
  module.request = intercepted(`${name}.request`);
  module.get = intercepted(`${name}.get`);
  module.globalAgent.addRequest = intercepted(`${name}.globalAgent`);
}
// A class in its place, as nock 13 has it, behind a proxy, as MSW has it.
function Intercepted() {
  intercepted("ClientRequest")();
}
inherits(Intercepted, http.ClientRequest);
http.ClientRequest = new Proxy(Intercepted, { construct: intercepted("ClientRequest") });
// For those who import by name.
syncBuiltinESMExports();
