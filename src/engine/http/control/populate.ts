// Adds bulk data and responds at the end. If the client disconnects before, nothing is added.
import type { WorldsPort } from "../../app/application.ts";
import { rejectInput } from "../../domain/kernel/domain-error.ts";
import { HttpError } from "../errors.ts";
import { readHeader } from "../exchange.ts";
import { type Handler, ok } from "./handler.ts";

/** The limit in the specification, which doesn't validate headers of the control API. */
const MAX_KEY_LENGTH = 100;

export const populateState: Handler<"populateState", WorldsPort> = async ({ application, body, exchange, world }) => {
  const { bookings, seed } = body;
  const key = readHeader(exchange, "idempotency-key");
  if (key !== undefined && (key === "" || key.length > MAX_KEY_LENGTH))
    rejectInput("header.idempotency-key", `it must have 1 to ${MAX_KEY_LENGTH} characters; it has ${key.length}.`);
  const request = { bookings, key, seed: seed === undefined ? undefined : String(seed) };
  const populated = await application.states.populate(world, request, { onClose: exchange.onClose });
  if (populated) return ok({ world: world.id, ...populated });
  const message = `World ${world.id} was changed while bookings were made for it, so none was added. Send the request again when nothing else changes it, or hold its clock first.`;
  throw new HttpError(409, message);
};
