// The formats of the specification: those of ajv-formats, with the date-time of RFC 3339 §5.6 to the letter (assumption:
// datetime-strictness). ajv-formats would take a blank for the T, and an offset without its colon.
const { fullFormats } = require("ajv-formats/dist/formats");

const WRITTEN = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i;
const { validate, compare } = fullFormats["date-time"];

module.exports = {
  ...fullFormats,
  "date-time": { validate: (text) => WRITTEN.test(text) && validate(text), compare },
};
