// Triggers of the experience kinds. Heading "Event kinds". What is deleted is a new one, unless one is named.
import type { Desk } from "../../domain/desk.ts";
import { createExperience, deleteExperience, updateExperience } from "../../domain/experience.ts";
import { price } from "../../domain/money.ts";
import type { Experience } from "../../domain/records.ts";
import { found } from "../../domain/refusal.ts";
import { showExperience } from "../../domain/shown-catalogue.ts";
import { firstOf } from "../deliveries.ts";
import { nothingFor, type Trigger } from "./trigger.ts";
import { changed, idIn, type Wishes, wished } from "./wish.ts";

export const experienceCreated: Trigger = (desk, wishes) => show(desk, create(desk, wishes));

export const experienceUpdated: Trigger = (desk, wishes) => {
  const experience = named(desk, wishes) ?? firstOf(desk.experiences.walk("created"));
  if (!experience)
    return nothingFor("v1.experience.updated", "there is no experience. Trigger v1.experience.created first.");
  const sample = { experience_id: experience.id, name: "A changed name", description: "A changed description" };
  return show(desk, updateExperience(desk, experience, changed(sample, wishes, experience)));
};

export const experienceDeleted: Trigger = (desk, wishes) => {
  const experience = named(desk, wishes) ?? create(desk, {});
  wished({ experience_id: experience.id }, wishes);
  return show(desk, deleteExperience(desk, experience));
};

function named(desk: Desk, wishes: Wishes): Experience | undefined {
  const id = idIn(wishes, "experience_id");
  return id === undefined ? undefined : found(desk.experiences.get(id), "experience", id);
}

function create(desk: Desk, wishes: Wishes): Experience {
  const currency = desk.company.get("company")?.currency ?? "DKK";
  const adult = { name: "Adult", price: price(10_000, currency), vat_rate: "0.25" };
  const sample = { name: "A new experience", description: "Made by a trigger.", ticket_variants: [adult] };
  return createExperience(desk, wished(sample, wishes));
}

function show(desk: Desk, experience: Experience): object {
  const storefront = desk.company.get("company")?.languages ?? [];
  return showExperience(desk, experience, { language: storefront[0] ?? "en", storefront });
}
