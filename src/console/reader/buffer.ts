// RapiDoc uses the Buffer of Node for credentials of the Basic scheme: in a browser, that of this package.
export { Buffer } from "buffer/";
