// RapiDoc needs the Buffer of Node for Basic credentials. This package provides it in browsers.
export { Buffer } from "buffer/";
