// The address of a receiver, as people write it.
import { expect, it } from "vitest";
import { parseReceiverAddress } from "../../src/client/address.ts";

it.each([
  ["localhost:3000/hook", "http://localhost:3000/hook"],
  ["3000", "http://localhost:3000"],
  [":3000", "http://localhost:3000"],
  [":3000/hook/", "http://localhost:3000/hook/"],
  ["3000/hook", "http://localhost:3000/hook"],
  ["localhost", "http://localhost"],
  ["127.0.0.1:3000", "http://127.0.0.1:3000"],
  ["[::1]:3000/hook", "http://[::1]:3000/hook"],
  ["app:3000/hook", "http://app:3000/hook"],
  ["example.com/hook?of=shop", "http://example.com/hook?of=shop"],
  ["https://example.com/hook/", "https://example.com/hook/"],
])("completes %s", (text, address) => {
  expect(parseReceiverAddress(text)).toBe(address);
});

it.each(["", "/hook", "hook", "99999", "ftp://localhost/hook", "http://", "http://anna:secret@localhost:3000/hook"])(
  "does not guess what %j means",
  (text) => {
    expect(parseReceiverAddress(text)).toBeUndefined();
  },
);
