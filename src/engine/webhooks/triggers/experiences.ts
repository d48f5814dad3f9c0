// Triggers of the experience kinds. Heading "Event kinds". A deletion makes a new experience to delete, unless the input names one.

import { showExperienceForHost } from "../../domain/catalogue/catalogue-views.ts";
import { createExperience, deleteExperience, updateExperience } from "../../domain/catalogue/experience.ts";
import { found } from "../../domain/kernel/domain-error.ts";
import type { Experience } from "../../domain/kernel/records.ts";
import type { Transaction } from "../../domain/kernel/transaction.ts";
import { price } from "../../domain/money/money.ts";
import { getFirst } from "../deliveries.ts";
import { changeOf, getId, rejectKind, type Trigger, type TriggerInput, withInputs, withOptional } from "./input.ts";

export const create: Trigger = (tx, inputs) => showExperienceForHost(tx, createOne(tx, inputs));

export const update: Trigger = (tx, inputs) => {
  const experience = findNamedExperience(tx, inputs) ?? getFirst(tx.experiences.walk("created"));
  if (!experience)
    return rejectKind("v1.experience.updated", "there is no experience. Trigger v1.experience.created first.");
  const sample = { experience_id: experience.id, name: "A changed name", description: "A changed description" };
  return showExperienceForHost(
    tx,
    updateExperience(tx, experience, changeOf(withOptional(sample, inputs, ["metadata"]), inputs, experience)),
  );
};

export const remove: Trigger = (tx, inputs) => {
  const experience = findNamedExperience(tx, inputs) ?? createOne(tx, {});
  withInputs({ experience_id: experience.id }, inputs);
  return showExperienceForHost(tx, deleteExperience(tx, experience));
};

function findNamedExperience(tx: Transaction, inputs: TriggerInput): Experience | undefined {
  const id = getId(inputs, "experience_id");
  return id === undefined ? undefined : found(tx.experiences.get(id), "experience", id);
}

function createOne(tx: Transaction, inputs: TriggerInput): Experience {
  const currency = tx.company.get("company")?.currency ?? "DKK";
  // Hundred of the main unit, in a currency with two decimals.
  const adult = { name: "Adult", price: price(10_000, currency), vat_rate: "0.25" };
  const sample = { name: "A new experience", description: "Made by a trigger.", ticket_variants: [adult] };
  return createExperience(tx, withInputs(withOptional(sample, inputs, ["metadata"]), inputs));
}
