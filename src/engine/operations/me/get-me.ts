// GET /v1/me: who is behind the token. Assumption: me.
import { mustExist } from "../../domain/kernel/domain-error.ts";
import { read } from "../operation.ts";

export const getMe = read("getMe", (tx) => {
  const { company_id, name, user_id, email } = mustExist(tx.company.get("company"), "company", "company");
  return { company_id, company_name: name, user_id, email };
});
