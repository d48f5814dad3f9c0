// The trigger of the consent kind: it is sent for every submission, also of a known e-mail. Heading "Event kinds".
import { submitConsent } from "../../domain/company/consent.ts";
import { showConsent } from "../../domain/shown.ts";
import { wished } from "./input.ts";
import type { Trigger } from "./trigger.ts";

export const consentCreated: Trigger = (tx, inputs) =>
  showConsent(submitConsent(tx, wished({ full_name: "Anna Holm", email: "anna@example.com" }, inputs)));
