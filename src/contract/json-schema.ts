// Types the part of JSON Schema that the documents of the sandbox use.
export interface JsonSchema {
  $ref?: string;
  description?: string;
  type?: string | string[];
  enum?: readonly unknown[];
  "x-extensible-enum"?: readonly unknown[];
  const?: unknown;
  format?: string;
  pattern?: string;
  default?: unknown;
  examples?: readonly unknown[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  propertyNames?: JsonSchema;
  required?: readonly string[];
  additionalProperties?: boolean | JsonSchema;
  allOf?: readonly JsonSchema[];
  oneOf?: readonly JsonSchema[];
  anyOf?: readonly JsonSchema[];
}
