/**
 * Makes an element look like another one and keeps what both have: what a reader has selected stays selected, what was
 * folded stays folded.
 */
export function patch(shown: HTMLElement, wanted: HTMLElement): void {
  shown.className = wanted.className;
  Object.assign(shown.dataset, wanted.dataset);
  const nodes = [...wanted.childNodes];
  for (const [index, node] of nodes.entries()) {
    const known = shown.childNodes[index];
    if (!known) shown.append(node);
    else if (known instanceof Text && node instanceof Text) patchText(known, node.data);
    else if (known instanceof HTMLElement && node instanceof HTMLElement && known.tagName === node.tagName)
      patch(known, node);
    else known.replaceWith(node);
  }
  while (shown.childNodes.length > nodes.length) shown.lastChild?.remove();
}

function patchText(shown: Text, text: string): void {
  // Text that only grows is left where it is.
  if (text.startsWith(shown.data)) shown.appendData(text.slice(shown.data.length));
  else shown.data = text;
}
