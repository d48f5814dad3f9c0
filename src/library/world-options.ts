// The options of a world, checked as those of a sandbox are: the same names, forms and sentences.
import type { Schemas } from "../contract/schemas.ts";
import { checkSettings, type SandboxOptions } from "../engine/settings.ts";

/**
 * As in the options of the sandbox: what is left out is as there, and nothing is subscribed. A folder is taken as `fixture` only where the
 * sandbox began with it.
 */
export interface WorldOptions
  extends Pick<SandboxOptions, "fixture" | "clock" | "seed" | "webhookUrl" | "webhookEvents"> {
  /** A new id; default: a random one. */
  id?: string | undefined;
}

const WORLD_OPTIONS = ["fixture", "clock", "seed", "webhookUrl", "webhookEvents"] as const satisfies Exclude<
  keyof WorldOptions,
  "id"
>[];

/** Throws a SettingError at the first option that is rejected. */
export function toWorldInput({ id, ...options }: WorldOptions): Schemas["WorldInput"] {
  const { webhookUrl, webhookEvents, ...rest } = checkSettings(options, undefined, WORLD_OPTIONS);
  return {
    ...rest,
    ...(id === undefined ? {} : { id }),
    ...(webhookUrl === undefined ? {} : { webhook_url: webhookUrl }),
    ...(webhookEvents ? { webhook_events: [...webhookEvents] } : {}),
  } as Schemas["WorldInput"];
}
