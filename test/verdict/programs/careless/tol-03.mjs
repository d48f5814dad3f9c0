// Reads the city of an address that may be absent.
import { careful, run } from "../shop.mjs";

await run({
  ...careful,
  city: (booking) => (booking.id === "bkg-evening" ? booking.customer.address.city.trim() : careful.city(booking)),
});
