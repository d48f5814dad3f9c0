// Lists the tools in the order in which clients show them.
import rows from "../../contract/generated/tools.json" with { type: "json" };
import type { Tool, ToolDefinition } from "../tool.ts";
import { act, describeAct, listActs } from "./acts.ts";
import { searchDocs } from "./docs.ts";
import { requests, why } from "./log.ts";
import { readOperation } from "./operation.ts";
import { books, clock, faults } from "./state.ts";
import { verdict } from "./verdict.ts";
import { overview, world } from "./world.ts";

const definitions: readonly ToolDefinition[] = [
  overview,
  searchDocs,
  readOperation,
  listActs,
  describeAct,
  act,
  clock,
  requests,
  why,
  world,
  faults,
  verdict,
  books,
];

/** Adds the input and the actions of the specification to a tool without an input of its own. */
function addSpecification(tool: ToolDefinition): Tool {
  const row = rows[tool.name as keyof typeof rows];
  return tool.input ? { ...tool, input: tool.input } : { ...tool, input: row.input, actions: row };
}

export const tools = definitions.map(addSpecification);
