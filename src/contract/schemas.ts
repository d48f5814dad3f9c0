// The schemas by name: of the control API, and of the service itself.
import type { components as service } from "./generated/api.ts";
import type { components } from "./generated/control.ts";

export type Schemas = components["schemas"];
export type ServiceSchemas = service["schemas"];

/** What a request or a response has as JSON. */
export type JsonContent<T> = T extends { content: { "application/json": infer Body } } ? Body : undefined;
