// A sandbox proves to a program on this machine that it knows the control token, before the program sends that. It proves nothing for an
// address that is not its own: whoever forwards the question from there would be taken for this sandbox.

import { getProofKey, proveToken } from "../../../platform/token-proof.ts";
import type { RequestsPort } from "../../app/application.ts";
import { HttpError } from "../errors.ts";
import { handlersWith, ok } from "./handler.ts";

export const PROOF = "proveToken";

/** Made once, with the first question. */
const keys = new WeakMap<RequestsPort, Promise<Buffer>>();

function findKey(application: RequestsPort): Promise<Buffer> {
  const key = keys.get(application) ?? getProofKey(application.controlToken, application.instance);
  keys.set(application, key);
  return key;
}

export const proof = handlersWith<RequestsPort>()({
  async proveToken({ application, body }) {
    const { instance } = application;
    // As it listens, and as it is reached through a proxy.
    const own = [application.getListenUrl(), application.getBaseUrl()].map((address) => new URL(address).origin);
    if (own.includes(body.address))
      return ok({ instance, proof: proveToken(await findKey(application), body, instance) });
    throw new HttpError(
      403,
      `${body.address.slice(0, 100)} is no address of this sandbox, and it proves nothing for another's. Ask it at ${own[0]}.`,
    );
  },
});
