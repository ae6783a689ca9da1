/** Elements whose content is created when they are shown, so that an unchanged block costs nothing. */

interface Lazy {
  key: string;
  fill: (() => readonly Node[]) | undefined;
}

const LAZY = new WeakMap<Element, Lazy>();
const CLASS = "block";

/** Creates an empty element and stores the function that fills it. Elements with equal keys have equal content. */
export function createLazyElement(key: string, fill: () => readonly Node[]): HTMLElement {
  const made = document.createElement("div");
  made.className = CLASS;
  LAZY.set(made, { key, fill });
  return made;
}

/** Fills an element and everything inside it that is still empty. */
export function fillElement(root: HTMLElement): void {
  for (const node of [root, ...root.getElementsByClassName(CLASS)]) {
    const lazy = LAZY.get(node);
    if (!lazy?.fill) continue;
    node.append(...lazy.fill());
    lazy.fill = undefined;
  }
}

export function hasSameContent(one: Element, other: Element): boolean {
  const key = LAZY.get(one)?.key;
  return key !== undefined && key === LAZY.get(other)?.key;
}

/** Records that `shown` now has the content of `wanted`. */
export function copyKey(shown: Element, wanted: Element): void {
  const lazy = LAZY.get(wanted);
  if (lazy) LAZY.set(shown, { key: lazy.key, fill: undefined });
  else LAZY.delete(shown);
}
