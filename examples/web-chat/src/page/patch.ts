import { copyKey, fillElement, hasSameContent } from "./lazy-element.ts";

/**
 * Changes an element to look like another one, and keeps the nodes that both have: selected text stays selected, folded
 * parts stay folded, and finished blocks are not changed.
 */
export function patch(shown: HTMLElement, wanted: HTMLElement): void {
  if (hasSameContent(shown, wanted)) return;
  fillElement(wanted);
  // Thinking folds once, when it is finished. After that the reader decides.
  if (shown instanceof HTMLDetailsElement && shown.dataset["state"] === "open" && wanted.dataset["state"] === "done")
    shown.open = false;
  shown.className = wanted.className;
  Object.assign(shown.dataset, wanted.dataset);
  const nodes = [...wanted.childNodes];
  for (const [index, node] of nodes.entries()) {
    const known = shown.childNodes[index];
    if (!known) shown.append(node);
    else if (known instanceof Text && node instanceof Text) patchText(known, node.data);
    else if (known instanceof HTMLElement && node instanceof HTMLElement && isSameKind(known, node)) patch(known, node);
    else known.replaceWith(node);
  }
  while (shown.childNodes.length > nodes.length) shown.lastChild?.remove();
  copyKey(shown, wanted);
}

/** Attributes are not copied, so elements with different attributes are replaced. */
function isSameKind(known: HTMLElement, node: HTMLElement): boolean {
  const hasSame = (name: string): boolean => known.getAttribute(name) === node.getAttribute(name);
  return known.tagName === node.tagName && hasSame("href") && hasSame("src");
}

function patchText(shown: Text, text: string): void {
  if (shown.data === text) return;
  // Appending keeps a selection inside the text.
  if (text.startsWith(shown.data)) shown.appendData(text.slice(shown.data.length));
  else shown.data = text;
}
