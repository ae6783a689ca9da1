/** In place of a package that was never published: schemas are kept as data, and every value passes. */
const node =
  (type) =>
  (first = {}, options = {}) => ({ type, first, ...options });

export const arr = node("array");
export const bool = node("boolean");
export const int = node("integer");
export const nul = node("null");
export const num = node("number");
export const obj = node("object");
export const oneOf = node("enum");
export const opt = node("optional");
export const str = node("string");
export const union = node("union");

/** A validator that returns what it is given. */
export const compile = () => ({ parse: (value) => ({ ok: true, value }) });
