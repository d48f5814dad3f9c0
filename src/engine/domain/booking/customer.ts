// A customer as someone gives it, and as a booking or an order holds it. Heading "Customer"; assumption: booking-customer-names, empty-text.
import { optional } from "../../../platform/optional.ts";
import type { Address, Customer } from "../kernel/records.ts";

/** One of the two names will do, and a host may know next to nothing. */
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

/** What a host writes down for a guest who gave none. */
const NO_NAME = "Guest";

/** Both names, equal; a company has its own; and nothing that is not documented (assumption: unknown-body-field). */
export function toCustomer(input: CustomerInput): Customer {
  const { customer_type = "PRIVATE", email = NO_EMAIL, company_name, vat_number, phone, address } = input;
  const name = input.name ?? input.full_name ?? company_name ?? NO_NAME;
  const details = optional({ vat_number: omitEmpty(vat_number), phone: omitEmpty(phone) });
  const all = { ...details, name, full_name: name, ...(address && { address: toAddress(address) }) };
  return customer_type === "COMPANY"
    ? { customer_type, email, company_name: omitEmpty(company_name) ?? name, ...all }
    : { customer_type, email, ...optional({ company_name: omitEmpty(company_name) }), ...all };
}

/** With the given members in place of the old ones; a customer of another type is another customer. */
export function changeCustomer(old: Customer, given: CustomerInput): Customer {
  const { customer_type = old.customer_type } = given;
  if (customer_type !== old.customer_type) return toCustomer(given);
  // Either of the two names renames.
  const name = given.name ?? given.full_name ?? old.name;
  return toCustomer({ ...old, ...given, ...optional({ name }) });
}

function toAddress({ address_lines = [], city, zip_code, region, country }: Partial<Address>): Address {
  return { address_lines, ...optional({ city, zip_code, country, region: omitEmpty(region) }) } as Address;
}

/** An empty text says as little as none. */
const omitEmpty = (text: string | undefined) => text || undefined;
