// Lists the reporters by name.
import { json } from "./json.ts";
import { junit } from "./junit.ts";
import type { Look, Reporter } from "./reporter.ts";
import { spec } from "./spec.ts";
import { tap } from "./tap.ts";

export const reporters: Readonly<Record<string, (look: Look) => Reporter>> = { spec, tap, junit, json };
