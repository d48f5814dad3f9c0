// Reads and extends the seed of a world, `<fixture seed>` or `<fixture seed>/<world>`. Records of the fixture's history
// get their ids from the first part. The second part makes later ids unique to the world, so two worlds never give the
// same id to different messages.

export const readFixtureSeed = (seed: string): string => seed.split("/", 1)[0] ?? seed;

export const toWorldSeed = (seed: string, world: string): string => `${readFixtureSeed(seed)}/${world}`;
