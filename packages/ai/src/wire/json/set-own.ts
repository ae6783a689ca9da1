/** Sets keys that a model chose. */

/** Sets a key as JSON.parse does: an inherited name such as `__proto__` becomes plain data. */
export function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key in Object.prototype) {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    target[key] = value;
  }
}
