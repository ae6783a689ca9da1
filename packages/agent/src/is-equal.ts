/**
 * Whether two values of JSON are the same, in any order of keys. Ends at the first difference.
 *
 * @param depth how many levels are compared: a cyclic or deeper value counts as different
 * @param sizes the numbers of keys of the second value and of its parts, for one that many are compared with: to count them
 *   takes as long as to read them
 */
export function isEqual(one: unknown, other: unknown, depth: number, sizes?: Map<object, number>): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || !one || !other || depth < 0) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = Object.keys(one);
  const size = sizes?.get(other) ?? Object.keys(other).length;
  sizes?.set(other, size);
  if (keys.length !== size) return false;
  for (const key of keys)
    if (!Object.hasOwn(other, key) || !isEqual(Reflect.get(one, key), Reflect.get(other, key), depth - 1, sizes))
      return false;
  return true;
}
