/** The bytes of two pieces, one after the other. Each piece may end with padding of its own. */
export function joinBase64(first: string, second: string): string {
  if (first === "") return second;
  return Buffer.concat([Buffer.from(first, "base64"), Buffer.from(second, "base64")]).toString("base64");
}
