// Recognises the names of fixtures. Any other text is the folder that holds world.json.

/** A name has lower-case letters, digits and hyphens. */
export const isFixtureName = (text: string): boolean => /^[a-z0-9-]+$/.test(text);
