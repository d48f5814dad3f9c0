// Triggers the experience kinds. A deletion creates an experience to delete, unless the input names one. Heading "Event kinds".

import { showExperienceForHost } from "../../domain/catalogue/catalogue-views.ts";
import { createExperience, deleteExperience, updateExperience } from "../../domain/catalogue/experience.ts";
import { mustExist } from "../../domain/kernel/domain-error.ts";
import type { Experience } from "../../domain/kernel/records.ts";
import type { Transaction } from "../../domain/kernel/transaction.ts";
import { price } from "../../domain/money/money.ts";
import { getFirst } from "../deliveries.ts";
import { addOptional, applyInputs, readId, rejectKind, type Trigger, type TriggerInput, toChange } from "./input.ts";

export const create: Trigger = (tx, inputs) => showExperienceForHost(tx, createExample(tx, inputs));

export const update: Trigger = (tx, inputs) => {
  const experience = findNamedExperience(tx, inputs) ?? getFirst(tx.experiences.walk("created"));
  if (!experience)
    return rejectKind("v1.experience.updated", "there is no experience. Trigger v1.experience.created first.");
  const sample = { experience_id: experience.id, name: "A changed name", description: "A changed description" };
  return showExperienceForHost(
    tx,
    updateExperience(tx, experience, toChange(addOptional(sample, inputs, ["metadata"]), inputs, experience)),
  );
};

export const remove: Trigger = (tx, inputs) => {
  const experience = findNamedExperience(tx, inputs) ?? createExample(tx, {});
  applyInputs({ experience_id: experience.id }, inputs);
  return showExperienceForHost(tx, deleteExperience(tx, experience));
};

function findNamedExperience(tx: Transaction, inputs: TriggerInput): Experience | undefined {
  const id = readId(inputs, "experience_id");
  return id === undefined ? undefined : mustExist(tx.experiences.get(id), "experience", id);
}

function createExample(tx: Transaction, inputs: TriggerInput): Experience {
  const currency = tx.company.get("company")?.currency ?? "DKK";
  // The amount is in minor units: 100.00 in a currency with two decimals.
  const adult = { name: "Adult", price: price(10_000, currency), vat_rate: "0.25" };
  const sample = { name: "A new experience", description: "Made by a trigger.", ticket_variants: [adult] };
  return createExperience(tx, applyInputs(addOptional(sample, inputs, ["metadata"]), inputs));
}
