/** Creates elements. Strings become text nodes, never markup, because everything that the page shows may be hostile. */

export type Child = Node | string | undefined | false;

interface Properties {
  class?: string;
  id?: string;
  title?: string;
  type?: string;
  href?: string;
  placeholder?: string;
  value?: string;
  checked?: boolean;
  selected?: boolean;
  open?: boolean;
  spellcheck?: boolean;
  rows?: number;
  hidden?: boolean;
  /** `aria-*`, `role` and other attributes that are not properties. `href` and `on*` must not be set here. */
  attributes?: Readonly<Record<string, string>>;
  onclick?: () => void;
  oninput?: () => void;
  onchange?: () => void;
}

export function element<TName extends keyof HTMLElementTagNameMap>(
  name: TName,
  { attributes = {}, class: className, ...properties }: Properties = {},
  ...children: Child[]
): HTMLElementTagNameMap[TName] {
  const made = document.createElement(name);
  Object.assign(made, properties);
  if (className !== undefined) made.className = className;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children.filter((child): child is Node | string => child !== undefined && child !== false));
  return made;
}

const SVG = "http://www.w3.org/2000/svg";

export function svgElement(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  ...children: Node[]
): Element {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.append(...children);
  return made;
}
