// Commands of the control API that need code of their own: how a response is shown, and what is checked before a request is sent.
// The other commands are generated from the specification alone.
import type { Answer } from "../answer.ts";
import { books } from "./books.ts";
import { lint } from "./check-log.ts";
import { requests } from "./requests.ts";
import { teams } from "./teams.ts";
import { worlds } from "./worlds.ts";

/** The key is the command without options, such as `snapshot save`. */
export const ANSWERS: Readonly<Record<string, Answer>> = { ...books, ...lint, ...requests, ...teams, ...worlds };
