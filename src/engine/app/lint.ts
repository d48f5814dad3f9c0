// What the log of a world shows of the program that called it, as the transport knows it: the judges are those of a verdict.
import type { Schemas } from "../../contract/schemas.ts";

export interface LoggedTraffic {
  /** Oldest first; each is made when it is read. */
  requests: Iterable<Schemas["RequestEntry"]>;
  subscriptions: readonly object[];
  /** The specification in force. */
  document: Readonly<Record<string, unknown>>;
}

/** Others are served meanwhile. */
export type Lint = (traffic: LoggedTraffic) => Promise<Schemas["LintResult"][]>;
