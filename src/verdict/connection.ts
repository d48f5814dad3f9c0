// What a program must know to call a sandbox.

/** How the program finds its sandbox. `sandbox exec` has the same in its environment. */
export interface Connection {
  url: string;
  auth_url: string;
  token_url: string;
  control_url: string;
  client_id: string;
  client_secret: string;
  control_token: string | undefined;
  webhook_secret: string | null;
}
