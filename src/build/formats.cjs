// The formats that Prism knows: those of ajv-formats, with a date-time of its own.
const { fullFormats } = require("ajv-formats/dist/formats");
const { compareDateTime, date_time, fmtDef } = require("@stoplight/prism-http/dist/validator/validators/dateTime");

module.exports = { ...fullFormats, "date-time": fmtDef(date_time, compareDateTime) };
