/** How long a button says that it has copied, in milliseconds. */
const SHOWN_MS = 2000;

/** Copies text, and says so on the button and to a screen reader. */
export async function copyText(button: HTMLElement, text: string): Promise<void> {
  const label = button.ariaLabel ?? "";
  if (button.dataset["copied"] !== undefined) return;
  try {
    await navigator.clipboard.writeText(text);
    button.dataset["copied"] = "yes";
    button.ariaLabel = "Copied";
  } catch {
    // The browser asks, and its user may say no.
    button.dataset["copied"] = "no";
    button.ariaLabel = "Could not copy";
  }
  setTimeout(() => {
    delete button.dataset["copied"];
    button.ariaLabel = label;
  }, SHOWN_MS);
}
