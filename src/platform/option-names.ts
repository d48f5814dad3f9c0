// Formats messages about options, which each interface names differently. A message has a slot for each option: `{option
// fresh}`.

/** Names an option by its property in the settings. */
export type NameOption = (property: string) => string;

/** Names an option as the library does. */
export const nameProperty: NameOption = (property) => `\`${property}\``;

export const formatOptions = (template: string, name: NameOption): string =>
  template.replace(/\{option (\w+)\}/g, (_, property: string) => name(property));

/** An error whose message names options. */
export class OptionError extends Error {
  readonly #template: string;
  constructor(template: string, options?: ErrorOptions) {
    super(formatOptions(template, nameProperty), options);
    this.#template = template;
  }

  format(name: NameOption): string {
    return formatOptions(this.#template, name);
  }
}
