// The quotas of a team as options, and as lines.
import type { Schemas } from "../client/control.ts";
import rows from "../contract/generated/commands.json" with { type: "json" };
import type { Option } from "./command.ts";
import { Misuse } from "./fault.ts";
import type { Given } from "./options.ts";
import { columns } from "./terminal/terminal.ts";

type Quotas = Schemas["Quotas"];

export const { quotas: QUOTAS } = rows;

export const quotaOptions: readonly Option[] = QUOTAS.map(({ option, meaning }) => ({
  name: option,
  kind: "text",
  placeholder: "N or none",
  default: undefined,
  meaning,
}));

/** Those that are given instead of those that are set. */
export function quotasFrom(given: Given, set: Quotas): Quotas {
  const quotas: Quotas = { ...set };
  for (const { option, member } of QUOTAS) {
    const text = given.text(option)?.replaceAll("_", "");
    if (text === undefined) continue;
    if (text === "none") delete quotas[member];
    else if (/^[1-9]\d{0,14}$/.test(text)) quotas[member] = Number(text);
    else throw new Misuse(`${given.label(option)} is ${text.slice(0, 40)}. Give a whole number from 1, or none.`);
  }
  return quotas;
}

const spelt = (amount: number): string => amount.toLocaleString("en-US");

export function quotasShown(quotas: Quotas): string {
  const limits = QUOTAS.flatMap(({ member, unit }) => {
    const most = quotas[member];
    return most === undefined ? [] : [`${spelt(most)} ${unit}`];
  });
  return limits.length === 0 ? "no limits" : limits.join(", ");
}

export function usageShown({ id, name, quotas, usage, webhook_targets }: Schemas["TeamShown"]): string[] {
  const used: Partial<Record<keyof Quotas, number>> = {
    ...{ worlds: usage.worlds, bytes: usage.bytes, bytes_per_world: usage.largest_world?.bytes ?? 0 },
    requests_per_minute: usage.requests_per_minute,
    webhook_attempts_per_minute: usage.webhook_attempts_per_minute,
  };
  const rows = QUOTAS.map(({ member, unit }) => {
    const [most, now] = [quotas[member], used[member]];
    const limit = most === undefined ? "no limit" : spelt(most);
    return [`  ${unit}`, now === undefined ? "" : spelt(now), now === undefined ? limit : `of ${limit}`];
  });
  const targets =
    webhook_targets.length === 0 ? "public addresses only" : `public addresses, ${webhook_targets.join(", ")}`;
  return [`Team ${id}${name === id ? "" : ` (${name})`}`, ...columns(rows), `  Webhooks reach ${targets}`];
}
