/**
 * An immutable list for a message with very many blocks: a changed list shares all but a few small arrays with the
 * previous one. Copying the whole content for every event would be quadratic in the number of blocks.
 */
import type { AssistantBlock } from "../types/message.js";

// A tree with 32 children per node: three levels hold 32,768 blocks, and a change copies one node of each level.
const BITS = 5;
const MASK = 2 ** BITS - 1;

type Node = { readonly blocks: readonly AssistantBlock[] } | { readonly nodes: readonly Node[] };

export class BlockList {
  readonly #root: Node;
  /** The right shift that turns an index into the index of the root's child: {@link BITS} for each level below the root. */
  readonly #shift: number;
  #array: AssistantBlock[] | undefined;

  private constructor(root: Node, shift: number) {
    this.#root = root;
    this.#shift = shift;
  }

  static from(blocks: readonly AssistantBlock[]): BlockList {
    let list = new BlockList({ blocks: [] }, 0);
    for (const [index, block] of blocks.entries()) list = list.with(index, block);
    return list;
  }

  at(index: number): AssistantBlock | undefined {
    if (index >>> this.#shift > MASK) return undefined;
    let node: Node | undefined = this.#root;
    for (let shift = this.#shift; node && "nodes" in node; shift -= BITS) node = node.nodes[(index >>> shift) & MASK];
    return node?.blocks[index & MASK];
  }

  /** Returns the list with a block replaced, or added at the end. */
  with(index: number, block: AssistantBlock): BlockList {
    if (index >>> this.#shift <= MASK)
      return new BlockList(replace(this.#root, this.#shift, index, block), this.#shift);
    const shift = this.#shift + BITS;
    return new BlockList(replace({ nodes: [this.#root] }, shift, index, block), shift);
  }

  /** Returns the blocks as an array, which is built at the first call. Later calls return the same array. */
  toArray(): AssistantBlock[] {
    if (!this.#array) {
      this.#array = [];
      collect(this.#root, this.#array);
    }
    return this.#array;
  }
}

function replace(node: Node | undefined, shift: number, index: number, block: AssistantBlock): Node {
  const place = (index >>> shift) & MASK;
  if (shift === 0) {
    const blocks = node && "blocks" in node ? node.blocks.slice() : [];
    blocks[place] = block;
    return { blocks };
  }
  const nodes = node && "nodes" in node ? node.nodes.slice() : [];
  nodes[place] = replace(nodes[place], shift - BITS, index, block);
  return { nodes };
}

function collect(node: Node, into: AssistantBlock[]): void {
  if ("blocks" in node) for (const block of node.blocks) into.push(block);
  else for (const child of node.nodes) collect(child, into);
}
