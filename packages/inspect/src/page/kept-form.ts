/** Keeps what was typed into a form when the page is loaded again, in this tab only. */

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/**
 * Fills in what was typed before, as values, and remembers what is typed from now on.
 *
 * @param name identifies the form on the pages of this server
 * @returns a function that forgets it
 */
export function keepForm(form: HTMLElement, name: string): () => void {
  const key = `${location.pathname} ${name}`;
  const controls = [...form.querySelectorAll<Control>("input, textarea, select")];
  const original = controls.map(read);
  const typed = parse(sessionStorage.getItem(key));
  // A form with other fields is that of another place in the run.
  if (typed.length === controls.length)
    for (const [index, control] of controls.entries()) write(control, typed[index] ?? null);
  form.addEventListener("input", () => {
    const values = controls.map(read).map((value, index) => (value === original[index] ? null : value));
    try {
      sessionStorage.setItem(key, JSON.stringify(values));
    } catch {
      // The browser has no room for it.
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
