// Checks the options of a world with the same names, formats and errors as the options of a sandbox.
import type { Schemas } from "../contract/schemas.ts";
import { checkSettings, type SandboxOptions } from "../engine/settings.ts";

/**
 * The options of a world. Missing options are those of the sandbox, except for webhooks: a world has no subscription by default. `fixture`
 * can be a folder only if the sandbox was started with it.
 */
export interface WorldOptions
  extends Pick<SandboxOptions, "fixture" | "clock" | "seed" | "webhookUrl" | "webhookEvents"> {
  /** A new id; default: a random one. */
  id?: string | undefined;
}

export const WORLD_OPTIONS = ["fixture", "clock", "seed", "webhookUrl", "webhookEvents"] as const satisfies Exclude<
  keyof WorldOptions,
  "id"
>[];

/** Converts the options to a request. Throws a SettingError for the first invalid option. */
export function toWorldInput({ id, ...options }: WorldOptions): Schemas["WorldInput"] {
  const { webhookUrl, webhookEvents, ...rest } = checkSettings(options, undefined, WORLD_OPTIONS);
  return {
    ...rest,
    ...(id === undefined ? {} : { id }),
    ...(webhookUrl === undefined ? {} : { webhook_url: webhookUrl }),
    ...(webhookEvents ? { webhook_events: [...webhookEvents] } : {}),
  } as Schemas["WorldInput"];
}
