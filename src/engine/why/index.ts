// The door of the room: the handlers of the control API that explain, which the transport is handed.
import type { HandedIn } from "../http/control/handler.ts";
import { whyApply } from "./apply.ts";
import { why } from "./explain.ts";

export const whyHandlers: HandedIn = { ...why, ...whyApply };
