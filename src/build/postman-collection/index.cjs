// Stands in for `postman-collection`. Prism's reader of documents can read Postman collections too, and loads that package (24 MB) with
// itself. This project gives it OpenAPI documents only, so all that is left of it is a sentence for whoever gives it another.
exports.Collection = class {
  constructor() {
    throw new Error(
      "A Postman collection cannot be read here: postman-collection is not installed. Give an OpenAPI document.",
    );
  }
};
