// The entry point: the handlers of the control API that explain rejections and records.
import type { OuterHandlers } from "../http/control/handler.ts";
import { whyApply } from "./apply.ts";
import { why } from "./explain.ts";

export const whyHandlers: OuterHandlers = { ...why, ...whyApply };
