// Triggers the consent kind. Heading "Event kinds".
import { submitConsent } from "../../domain/company/consent.ts";
import { showConsent } from "../../domain/views.ts";
import { applyInputs, type Trigger } from "./input.ts";

export const createConsent: Trigger = (tx, inputs) =>
  showConsent(submitConsent(tx, applyInputs({ full_name: "Anna Holm", email: "anna@example.com" }, inputs)));
