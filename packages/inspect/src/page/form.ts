/** Creates the controls of forms. */
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
