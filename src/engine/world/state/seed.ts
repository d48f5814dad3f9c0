// The seed of a world. What its fixture's history made follows from the digits; where the id of the world stands behind them, what comes
// later is the world's own, so that no two worlds give the same ids to different messages.

export const playedWith = (seed: string): string => seed.split("/", 1)[0] ?? seed;

export const ownSeed = (seed: string, world: string): string => `${playedWith(seed)}/${world}`;
