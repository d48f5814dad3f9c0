// The trigger of the consent kind: it is sent for every submission, also of a known e-mail. Heading "Event kinds".
import { submitConsent } from "../../domain/consent.ts";
import { showConsent } from "../../domain/shown.ts";
import type { Trigger } from "./trigger.ts";
import { wished } from "./wish.ts";

export const consentCreated: Trigger = (desk, wishes) =>
  showConsent(submitConsent(desk, wished({ full_name: "Anna Holm", email: "anna@example.com" }, wishes)));
