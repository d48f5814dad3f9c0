// Creates the client of the control API in Node. The console runs in a browser and sends requests itself.
import { sendRequest } from "../platform/send-request.ts";
import { type Control, openControl, type Server } from "./control.ts";

export const createControl = (server: Server, world?: string): Control =>
  openControl({ send: sendRequest, ...server }, world);
