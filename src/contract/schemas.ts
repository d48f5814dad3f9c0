// Exports the schemas of the control API and of the service by name.
import type { components as service } from "./generated/api.ts";
import type { components } from "./generated/control.ts";

export type Schemas = components["schemas"];
export type ServiceSchemas = service["schemas"];

/** The JSON body of a request or a response. */
export type JsonContent<T> = T extends { content: { "application/json": infer Body } } ? Body : undefined;
