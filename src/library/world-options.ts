// The options of a world, checked as those of a sandbox are: the same names, forms and sentences.
import type { components } from "../generated/control.ts";
import { checkedSettings, type SandboxOptions } from "../settings.ts";

const OF_A_WORLD = ["fixture", "clock", "seed", "webhookUrl", "webhookEvents"] as const;

export interface WorldOptions extends Pick<SandboxOptions, (typeof OF_A_WORLD)[number]> {
  /** Another one than every world that there is; without it a random one. */
  id?: string | undefined;
}

/** Throws a SettingFault at the first option that is rejected. */
export function worldInput({ id, ...options }: WorldOptions): components["schemas"]["WorldInput"] {
  const { webhookUrl, webhookEvents, ...rest } = checkedSettings(options, undefined, OF_A_WORLD);
  return {
    ...rest,
    ...(id === undefined ? {} : { id }),
    ...(webhookUrl === undefined ? {} : { webhook_url: webhookUrl }),
    ...(webhookEvents?.length ? { webhook_events: [...webhookEvents] } : {}),
  } as components["schemas"]["WorldInput"];
}
