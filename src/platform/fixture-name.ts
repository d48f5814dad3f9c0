// A fixture is said by its name, or as the folder that holds its world.json: what can be a name is one.

/** Lower-case letters, digits and hyphens. */
export const isFixtureName = (text: string): boolean => /^[a-z0-9-]+$/.test(text);
