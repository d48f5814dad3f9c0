// Sends a logged request again, unchanged or with fields set.
import { control, type Schemas, unwrap } from "../api.ts";

export function replay(id: string, set?: Readonly<Record<string, unknown>>): Promise<Schemas["Replayed"]> {
  const params = { path: { requestId: id } };
  return unwrap(control.peek().POST("/_sandbox/requests/{requestId}/replay", { params, body: set ? { set } : {} }));
}
