// The checks of a request in the order of its steps, each with what it looked at. The checks of a rule of the service are told by that
// rule itself, when the request is tried again on a copy of the world.
import type { Application } from "../app/application.ts";
import type { Looked } from "../domain/kernel/checks.ts";
import type { Exchange, Refused } from "../http/exchange.ts";
import { type Row, rowsOf } from "./rows.ts";
import { filled } from "./rule.ts";
import { ruleOf } from "./solve.ts";

const covers = (row: Row, rule: string): boolean =>
  row.rules.some((name) => (name.endsWith("*") ? rule.startsWith(name.slice(0, -1)) : name === rule)) ||
  (rule === "fault-injected" && row.name.startsWith("fault") && row.rules.length === 0);

/** `told`: what the rule of the service said that it looked at. */
export function checksOf(
  exchange: Exchange,
  refused: Refused,
  told: readonly Looked[],
  application: Application,
): Looked[] {
  const rows = rowsOf(exchange).map((row) => ({ row, looked: row.looked(exchange, application) }));
  const stood = rows.findIndex(
    ({ row, looked }) => covers(row, refused.rule) && (refused.rule !== "fault-injected" || looked !== undefined),
  );
  return rows.flatMap(({ row, looked }, index): Looked[] => {
    if (index === stood) return against(row, refused, told);
    if (looked === undefined) return [];
    const passed = stood < 0 || index < stood;
    return [{ name: row.name, passed: passed ? true : null, looked_at: passed ? looked : "" }];
  });
}

function against(row: Row, refused: Refused, told: readonly Looked[]): Looked[] {
  if (row.name === "rule" && told.some(({ passed }) => passed === false)) return [...told];
  const own = { name: row.name === "rule" ? refused.rule : row.name, passed: false, looked_at: lookedAt(refused) };
  return row.name === "rule" ? [...told, own] : [own];
}

function lookedAt({ rule, values, message, violations }: Refused): string {
  if (violations.length > 0) return violations.map((violation) => violation.message).join(" ");
  const { looked } = ruleOf(rule);
  return looked === undefined ? message : values.map((each) => filled(looked, each)).join("; ");
}
