// What has happened, as rules report it. A fact names its record; a webhook message reads the rest from that record.

import type { Schemas } from "../../../contract/schemas.ts";

export type FactName = Schemas["FactName"];

export type Fact = Schemas["Fact"];

/** One thing that a move of the clock did. */
export type ReceiptLine = Schemas["ReceiptLine"];
