// What is said where a quota is met: the number, the limit, what to do, and who can raise it.

// English thousands, whatever the locale of the node: the sentences are English.
const spelt = (amount: number): string => amount.toLocaleString("en-US");

const raised = (team: string, option: string): string =>
  ` The operator can raise it with \`sandbox team quota ${team} --${option} N\`.`;

export const quotaWords = {
  requests: (team: string, most: number, seconds: number): string =>
    `Team ${team} has made ${spelt(most)} requests in this minute, which is its quota. Wait ${seconds} s.${raised(team, "requests")}`,
  bytes: (team: string, all: number, most: number): string =>
    `The worlds of team ${team} take ${spelt(all)} bytes; its quota is ${spelt(most)}. Remove or reset worlds.${raised(team, "bytes")}`,
  worlds(team: string, has: number, most: number, count: number): string {
    const wanted = count === 1 ? "another" : `${count} more`;
    return `Team ${team} has ${has} of ${most} worlds, so it can't have ${wanted}. Remove some.${raised(team, "worlds")}`;
  },
};
