/** Concatenates the bytes of two base64 strings. Each may end with its own padding. */
export function joinBase64(first: string, second: string): string {
  if (first === "") return second;
  return Buffer.concat([Buffer.from(first, "base64"), Buffer.from(second, "base64")]).toString("base64");
}
