// The messages of quotas: the number, the limit, what to do, and who can raise it.

// English thousands in any locale, because the sentences are English.
const formatNumber = (amount: number): string => amount.toLocaleString("en-US");

const explainRaise = (team: string, option: string): string =>
  ` The operator can raise it with \`sandbox team quota ${team} --${option} N\`.`;

export const quotaWords = {
  requests: (team: string, most: number, seconds: number): string =>
    `Team ${team} has made ${formatNumber(most)} requests in this minute, which is its quota. Wait ${seconds} s.${explainRaise(team, "requests")}`,
  bytes: (team: string, all: number, most: number): string =>
    `The worlds of team ${team} take ${formatNumber(all)} bytes; its quota is ${formatNumber(most)}. Remove or reset worlds.${explainRaise(team, "bytes")}`,
  worlds(team: string, has: number, most: number, count: number): string {
    const wanted = count === 1 ? "another" : `${count} more`;
    return `Team ${team} has ${has} of ${most} worlds, so it can't have ${wanted}. Remove some.${explainRaise(team, "worlds")}`;
  },
};
