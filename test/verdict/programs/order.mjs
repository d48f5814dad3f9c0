// What all shops here order: a ticket of an adult for tomorrow evening.
export const EVENT = "evt-tomorrow-evening";

export function orderOf(name) {
  const customer = {
    customer_type: "PRIVATE",
    name,
    email: `${name.split(" ")[0].toLowerCase()}@example.com`,
    phone: "+4520123456",
    address: { address_lines: ["Nyhavn 12"], city: "København", zip_code: "1051", country: "DK" },
  };
  const items = [{ type_id: "var-adult", item_type: "VARIANT", quantity: 1 }];
  return { event_id: EVENT, locale: "da", customer, items };
}
