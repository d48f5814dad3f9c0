// A customer as someone gives it, and as a booking or an order holds it. Heading "Customer"; assumption: booking-customer-names.
import { optional } from "./optional.ts";
import type { Address, Customer } from "./records.ts";

/** One of the two names will do, and a host may know next to nothing. */
export interface CustomerWish {
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

/** Both names, equal. */
export function customerOf({ name, full_name, address, ...rest }: CustomerWish): Customer {
  const known = name ?? full_name ?? rest.company_name ?? "";
  const { customer_type = "PRIVATE", email = NO_EMAIL, ...others } = rest;
  const place = address && ({ address_lines: [], ...address } as unknown as Address);
  return { customer_type, email, ...others, name: known, full_name: known, ...optional({ address: place }) };
}
