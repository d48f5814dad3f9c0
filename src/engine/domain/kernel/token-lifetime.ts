// How long a token is valid by the clock of its world, unless a fault says otherwise (assumption: token-lifetime).
export const TOKEN_LIFETIME_SECONDS = 3599;
