// What a program must know to use a sandbox whose world default lives on another node.
import { setTimeout as pause } from "node:timers/promises";
import type { Schemas } from "../../client/control.ts";
import { createControl } from "../../client/create-control.ts";
import type { Sandbox } from "../../sandbox.ts";
import { type Introduction, kindsOf } from "./introduction.ts";

/** Longer than a heartbeat is valid: the other node may just have been killed. */
const TRIES = 60;
const AGAIN_MS = 250;

/** Another node has it, which may have only just begun: whoever asks this one is sent on to it. */
export async function introduceFromAfar(application: Sandbox["application"], url: string): Promise<Introduction> {
  // The own node, which forwards to the other.
  const control = createControl({ url, controlToken: application.controlToken });
  const path = { worldId: "default" };
  for (let tries = 1; ; tries++) {
    const [about, keys] = await Promise.all([
      control.GET("/_sandbox"),
      control.GET("/_sandbox/worlds/{worldId}/credentials", { params: { path } }),
    ]);
    // At last without a key: the line of `start` must be printed.
    if ((about.data && keys.data) || tries >= TRIES) return fromAfar(application, url, about.data, keys.data);
    await pause(AGAIN_MS);
  }
}

function fromAfar(
  application: Sandbox["application"],
  url: string,
  about: Schemas["SandboxDescription"] | undefined,
  keys: Schemas["CredentialList"] | undefined,
): Introduction {
  const [key] = keys?.items ?? [];
  const { version, instance, controlToken, settings } = application;
  return {
    announcement: {
      ...{ url, auth_url: url, token_url: `${url}/oauth2/token` },
      ...{ client_id: key?.client_id ?? "", client_secret: key?.client_secret ?? "" },
      ...{ control_url: `${url}/_sandbox`, control_token: controlToken, webhook_secret: keys?.webhook_secret ?? null },
      ...{ world: "default", fixture: about?.fixture ?? "", now: about?.now ?? "", pid: process.pid },
    },
    ...{
      version,
      instance,
      mode: about?.mode ?? "running",
      maturity: settings.maturity,
      counts: kindsOf(about?.counts ?? {}),
    },
    inForce: { flips: about?.flips ?? [], subscriptions: [], faults: [] },
  };
}
