/**
 * Creates elements and the controls of forms. Strings become text nodes, never markup, because everything that the page shows
 * may be hostile.
 */

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

const MAX_ROWS = 14;

export function button(text: string, onclick: () => void, className?: string): HTMLButtonElement {
  return element("button", { type: "button", onclick, ...(className !== undefined && { class: className }) }, text);
}

/** @param hidden whether the label is only for assistive technology */
export function field(label: string, input: HTMLElement, hidden = false): HTMLElement {
  if (hidden) {
    input.ariaLabel = label;
    return input;
  }
  return element("label", { class: "field" }, element("span", {}, label), input);
}

/** A text area with as many rows as its text needs, up to a limit. */
export function textArea(value: string, placeholder = ""): HTMLTextAreaElement {
  const rows = value.split("\n").reduce((sum, line) => sum + Math.ceil((line.length + 1) / 60), 0);
  return element("textarea", { value, placeholder, spellcheck: false, rows: Math.min(MAX_ROWS, Math.max(2, rows)) });
}

export function select(values: readonly string[], selected: string): HTMLSelectElement {
  const options = values.map((value) => element("option", { value, selected: value === selected }, value));
  return element("select", {}, ...options);
}

export function check(label: string): { element: HTMLElement; input: HTMLInputElement } {
  const input = element("input", { type: "checkbox" });
  return { element: element("label", { class: "check" }, input, label), input };
}

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/**
 * Restores the saved input of a form, and saves every later input. Only fields that the user changed are saved: after a
 * reload, the others show what the server sends.
 *
 * @param name identifies the form among those of this server
 * @returns a function that deletes the saved input
 */
export function keepForm(form: HTMLElement, name: string): () => void {
  const key = `${location.pathname} ${name}`;
  const controls = [...form.querySelectorAll<Control>("input, textarea, select")];
  const original = controls.map(read);
  const typed = parse(sessionStorage.getItem(key));
  // With another number of fields, the saved input cannot be assigned to them.
  if (typed.length === controls.length)
    for (const [index, control] of controls.entries()) write(control, typed[index] ?? null);
  form.addEventListener("input", () => {
    const values = controls.map(read).map((value, index) => (value === original[index] ? null : value));
    try {
      sessionStorage.setItem(key, JSON.stringify(values));
    } catch {
      // The storage is full: the form works, but its input is lost on a reload.
    }
  });
  return () => sessionStorage.removeItem(key);
}

function read(control: Control): string | boolean {
  return control.type === "checkbox" && "checked" in control ? control.checked : control.value;
}

function write(control: Control, value: unknown): void {
  if (typeof value === "string") control.value = value;
  else if (typeof value === "boolean" && "checked" in control) control.checked = value;
}

function parse(text: string | null): unknown[] {
  try {
    const values: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(values) ? values : [];
  } catch {
    return [];
  }
}
