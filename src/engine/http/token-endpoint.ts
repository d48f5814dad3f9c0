// The one endpoint that is neither of the API nor of the control surface.
export const TOKEN_PATH = "/oauth2/token";
