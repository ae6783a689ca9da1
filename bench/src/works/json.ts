/** A parser of arguments alone: pieces of 16 characters, the value read after every 64th piece and at the end. */
import { argumentsText } from "../bodies.ts";
import { offered } from "../not-offered.ts";
import { measureCost, type Work } from "./measured.ts";

const PIECE = 16;
const EVERY = 64;

export const run: Work = async ({ client, input: { size = 0 } }) => {
  const readPieces = offered(client.readPieces);
  const text = argumentsText(size);
  const pieces = Array.from({ length: Math.ceil(text.length / PIECE) }, (_, index) =>
    text.slice(index * PIECE, (index + 1) * PIECE),
  );
  return measureCost(async () => {
    const value = await readPieces(pieces, EVERY);
    if (lengthOf(value) < size) throw new Error("the value is incomplete");
  });
};

/** The length of the longest part. Does not read its characters, because that would flatten the string. */
function lengthOf(value: unknown): number {
  return typeof value === "object" && value !== null && "content" in value ? String(value.content).length : 0;
}
