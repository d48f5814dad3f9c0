// Defines how long a token is valid on the clock of its world, unless a fault changes it (assumption: token-lifetime).
export const TOKEN_LIFETIME_SECONDS = 3599;
