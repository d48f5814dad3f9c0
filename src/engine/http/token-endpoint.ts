// Names the one endpoint that belongs neither to the public API nor to the control API.
export const TOKEN_PATH = "/oauth2/token";
