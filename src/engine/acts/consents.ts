// Acts on marketing consents. Heading "Event kinds".
import { submitConsent } from "../domain/company/consent.ts";
import { showConsent } from "../domain/views.ts";
import { act } from "./act.ts";

export const consentActs = [
  // Each submission makes a fact, also for a known e-mail address.
  act("submitConsent", (tx, input) => showConsent(submitConsent(tx, input))),
];
