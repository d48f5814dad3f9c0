// The scopes of a key are set by hand; a new scope is never granted by itself. Heading "Authentication" 6.
import { updateKey as update } from "../domain/company/key.ts";
import { act } from "./act.ts";
import { keyAnswer } from "./answers.ts";
import { keyCalled } from "./named.ts";

export const updateKey = act("updateKey", (tx, { client_id, scopes }) =>
  keyAnswer(update(tx, keyCalled(tx, client_id), scopes)),
);
