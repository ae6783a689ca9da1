/** The text of an error that a run threw, unless the application provides another. */
const FAILED = "The run failed";

/**
 * Returns the text of an error for the page. The run is over when it is called, so an error of `errorText` itself could
 * only leave the page without an end of the run.
 */
export function toErrorText(error: Error, errorText: (error: Error) => string = () => FAILED): string {
  try {
    return errorText(error);
  } catch {
    return FAILED;
  }
}
