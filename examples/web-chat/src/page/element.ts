/** Creates an element. Text is never parsed as HTML. */
export function element(tag: string, className: string, content: string | readonly (string | Node)[]): HTMLElement {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (typeof content === "string") made.textContent = content;
  else made.append(...content);
  return made;
}
