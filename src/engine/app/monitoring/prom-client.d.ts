// The files of prom-client that the sandbox uses. The package's main file also loads @opentelemetry/api, which is
// optional here.
declare module "prom-client/lib/counter.js" {
  export { Counter as default } from "prom-client";
}
declare module "prom-client/lib/gauge.js" {
  export { Gauge as default } from "prom-client";
}
declare module "prom-client/lib/histogram.js" {
  export { Histogram as default } from "prom-client";
}
declare module "prom-client/lib/registry.js" {
  export { Registry as default } from "prom-client";
}
declare module "prom-client/lib/metrics/*.js" {
  const register: (registry: import("prom-client").Registry) => void;
  export default register;
}
