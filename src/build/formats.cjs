// The formats of the specification: those of ajv-formats, with a strict date-time of RFC 3339 §5.6 (assumption:
// datetime-strictness). ajv-formats would accept a space in place of the T, and an offset without a colon.
const { fullFormats } = require("ajv-formats/dist/formats");

const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i;
const { validate, compare } = fullFormats["date-time"];

module.exports = {
  ...fullFormats,
  "date-time": { validate: (text) => DATE_TIME.test(text) && validate(text), compare },
};
