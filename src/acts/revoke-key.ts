// A key is withdrawn; its tokens answer 401 from then on. Assumption: no-token.
import { revokeKey as revoke } from "../domain/company/key.ts";
import { act } from "./act.ts";
import { keyAnswer } from "./answers.ts";
import { keyCalled } from "./named.ts";

export const revokeKey = act("revokeKey", (tx, { client_id }) => keyAnswer(revoke(tx, keyCalled(tx, client_id))));
