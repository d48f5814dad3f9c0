// What is done by hand with the commands of the table, by the command: how an answer is shown where a sentence or a table of members is
// not enough, and what is checked before it is asked for.
import type { Answer } from "../answer.ts";
import { books } from "./books.ts";
import { lint } from "./check-log.ts";
import { faults } from "./faults.ts";
import { clock, history } from "./past.ts";
import { requests } from "./requests.ts";
import { access, teams } from "./teams.ts";
import { worlds } from "./worlds.ts";

/** By the words of the command, such as `snapshot save`. */
export const ANSWERS: Readonly<Record<string, Answer>> = {
  ...access,
  ...books,
  ...clock,
  ...faults,
  ...history,
  ...lint,
  ...requests,
  ...teams,
  ...worlds,
};
