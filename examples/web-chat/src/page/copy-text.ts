/** The time for which a button reports success, in milliseconds. */
const SHOWN_MS = 2000;

/** Copies text, and reports the result on the button and to screen readers. */
export async function copyText(button: HTMLElement, text: string): Promise<void> {
  const label = button.ariaLabel ?? "";
  if (button.dataset["copied"] !== undefined) return;
  try {
    await navigator.clipboard.writeText(text);
    button.dataset["copied"] = "yes";
    button.ariaLabel = "Copied";
  } catch {
    // The browser asks for permission, which the user may deny.
    button.dataset["copied"] = "no";
    button.ariaLabel = "Could not copy";
  }
  setTimeout(() => {
    delete button.dataset["copied"];
    button.ariaLabel = label;
  }, SHOWN_MS);
}
