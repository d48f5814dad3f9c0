// What has happened, as rules report it. A fact names its record; a webhook message reads the rest from that record.

import type { components } from "../../../contract/generated/control.ts";

export type FactName = components["schemas"]["FactName"];

type Schemas = components["schemas"];

export type Fact = Schemas["Fact"];

/** One thing that a move of the clock did. */
export type ReceiptLine = Schemas["ReceiptLine"];
