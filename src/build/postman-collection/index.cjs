// Replaces the package `postman-collection` (24 MB), which Prism loads because it can read Postman collections too. This project only has
// OpenAPI documents, so this package only throws an error.
exports.Collection = class {
  constructor() {
    throw new Error(
      "Postman collections are not supported, because postman-collection is not installed. Use an OpenAPI document.",
    );
  }
};
