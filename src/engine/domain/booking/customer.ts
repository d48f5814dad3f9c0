// Converts the customer of a request to the customer that a booking or an order stores. Heading "Customer"; assumptions:
// booking-customer-names, empty-text.
import { optional } from "../../../platform/optional.ts";
import type { Address, Customer } from "../kernel/records.ts";

/** Every field is optional: either name is enough, and a host may know little about a guest. */
export interface CustomerInput {
  customer_type?: "PRIVATE" | "COMPANY";
  name?: string;
  full_name?: string;
  company_name?: string;
  vat_number?: string;
  email?: string;
  phone?: string;
  address?: Partial<Address>;
}

/** An address that can't reach anyone, for a guest who left none. */
const NO_EMAIL = "guest@example.invalid";

/** The name that is stored for a guest who gave none. */
const NO_NAME = "Guest";

/**
 * Sets both names to one value and drops undocumented fields (assumption: unknown-body-field). A company keeps its
 * own name as well.
 */
export function toCustomer(input: CustomerInput): Customer {
  const { customer_type = "PRIVATE", email = NO_EMAIL, company_name, vat_number, phone, address } = input;
  const name = input.name ?? input.full_name ?? company_name ?? NO_NAME;
  const details = optional({ vat_number: omitEmpty(vat_number), phone: omitEmpty(phone) });
  const all = { ...details, name, full_name: name, ...(address && { address: toAddress(address) }) };
  return customer_type === "COMPANY"
    ? { customer_type, email, company_name: omitEmpty(company_name) ?? name, ...all }
    : { customer_type, email, ...optional({ company_name: omitEmpty(company_name) }), ...all };
}

/** Replaces the given fields. Another customer type replaces the complete customer. */
export function changeCustomer(old: Customer, given: CustomerInput): Customer {
  const { customer_type = old.customer_type } = given;
  if (customer_type !== old.customer_type) return toCustomer(given);
  // Either of the two names changes both.
  const name = given.name ?? given.full_name ?? old.name;
  return toCustomer({ ...old, ...given, ...optional({ name }) });
}

function toAddress({ address_lines = [], city, zip_code, region, country }: Partial<Address>): Address {
  return { address_lines, ...optional({ city, zip_code, country, region: omitEmpty(region) }) } as Address;
}

/** An empty text counts as missing. */
const omitEmpty = (text: string | undefined) => text || undefined;
