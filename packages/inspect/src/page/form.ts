/** Creates the controls of forms, and keeps their input across reloads of the page, in this tab only. */
import { element } from "./element.js";

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
