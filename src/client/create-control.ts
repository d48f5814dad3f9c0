// The client of the control surface for programs of Node, which the console is not.
import { sendRequest } from "../platform/send-request.ts";
import { type Control, openControl, type Server } from "./control.ts";

export const createControl = (server: Server, world?: string): Control =>
  openControl({ send: sendRequest, ...server }, world);
