// A guest agrees to marketing; told every time, also for a known e-mail. Heading "Event kinds".
import { submitConsent as submit } from "../domain/company/consent.ts";
import { showConsent } from "../domain/shown.ts";
import { act } from "./act.ts";

export const submitConsent = act("submitConsent", (tx, input) => showConsent(submit(tx, input)));
