// Proves to a program on this machine that the sandbox knows the control token, before the program sends it. It proves only its own addresses;
// otherwise another server that forwards the request could pretend to be this sandbox.

import { getProofKey, proveToken } from "../../../platform/token-proof.ts";
import type { RequestsPort } from "../../app/application.ts";
import { HttpError } from "../errors.ts";
import { defineHandlers, ok } from "./handler.ts";

export const PROOF = "proveToken";

/** The keys are computed with the first request. */
const keys = new WeakMap<RequestsPort, Promise<Buffer>>();

function findKey(application: RequestsPort): Promise<Buffer> {
  const key = keys.get(application) ?? getProofKey(application.controlToken, application.instance);
  keys.set(application, key);
  return key;
}

export const proof = defineHandlers<RequestsPort>()({
  async proveToken({ application, body }) {
    const { instance } = application;
    // The sandbox has the address on which it listens, and the one of its proxy.
    const own = [application.getListenUrl(), application.getBaseUrl()].map((address) => new URL(address).origin);
    if (own.includes(body.address))
      return ok({ instance, proof: proveToken(await findKey(application), body, instance) });
    throw new HttpError(
      403,
      `${body.address.slice(0, 100)} is not an address of this sandbox. Send the request to ${own[0]}.`,
    );
  },
});
