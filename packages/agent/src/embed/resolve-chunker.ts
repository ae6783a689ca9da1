/** Creates the chunker that the options describe. */
import { type BlockChunker, type BlockChunkerOptions, createBlockChunker } from "./block-chunker.js";

/** Options of the built-in chunker, a chunker of the product, or false for none. */
export type ChunkerOption = BlockChunker | BlockChunkerOptions | false;

export function resolveChunker(option: ChunkerOption | undefined): BlockChunker | undefined {
  if (!option) return undefined;
  return isChunker(option) ? option : createBlockChunker(option);
}

function isChunker(option: BlockChunker | BlockChunkerOptions): option is BlockChunker {
  return "drain" in option;
}
