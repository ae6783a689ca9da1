/** Checks for the formats of JSON Schema. An unlisted format accepts everything. */

const DATE = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;
const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:z|[+-]\d{2}:?\d{2})$/i;
const UUID = /^(?:urn:uuid:)?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const EMAIL = /^[^\s@]+@[^\s@]+$/;

/** Each test takes at most linear time. */
export const FORMATS: Record<string, (text: string) => boolean> = {
  date: (text) => DATE.test(text),
  time: (text) => TIME.test(text),
  "date-time": (text) => DATE.test(text.slice(0, 10)) && /^[t ]/i.test(text.slice(10)) && TIME.test(text.slice(11)),
  uuid: (text) => UUID.test(text),
  email: (text) => EMAIL.test(text),
  uri: (text) => URL.canParse(text),
};
