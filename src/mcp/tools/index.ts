// Lists the tools in the order in which clients show them.
import type { Tool } from "../tool.ts";
import { act, describeAct, listActs } from "./acts.ts";
import { books } from "./books.ts";
import { clock } from "./clock.ts";
import { searchDocs } from "./docs.ts";
import { faults } from "./faults.ts";
import { readOperation } from "./operation.ts";
import { overview } from "./overview.ts";
import { requests } from "./requests.ts";
import { verdict } from "./verdict.ts";
import { why } from "./why.ts";
import { world } from "./world.ts";

export const tools: readonly Tool[] = [
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
