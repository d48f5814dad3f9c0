// The values of a named enum of the control document.
import controlDocument from "../src/contract/generated/control.json" with { type: "json" };

const { schemas } = controlDocument.components as { schemas: Record<string, { enum: string[] }> };

export const valuesOf = (name: "ErrorCode" | "FactName"): readonly string[] => schemas[name]?.enum ?? [];
