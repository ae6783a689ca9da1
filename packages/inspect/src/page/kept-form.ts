/** Keeps the input of a form across reloads of the page, in this tab only. */

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
