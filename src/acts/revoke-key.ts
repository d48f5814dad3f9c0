// A key is withdrawn; its tokens answer 401 from then on. Assumption: no-token.
import { revokeKey as revoke } from "../domain/key.ts";
import { act } from "./act.ts";
import { keyAnswer } from "./answers.ts";
import { keyCalled } from "./named.ts";

export const revokeKey = act("revokeKey", (desk, { client_id }) => keyAnswer(revoke(desk, keyCalled(desk, client_id))));
