/** The errors of a handler that only its operator can learn of. */

/**
 * Calls `onError`, or prints the error without one. What `onError` itself throws, at once or later, is printed: it must not
 * change a response, nor end the process.
 */
export function createReporter(onError: ((error: unknown) => unknown) | undefined): (error: unknown) => void {
  const report = async (error: unknown): Promise<void> => {
    try {
      await (onError ?? print)(error);
    } catch (thrown) {
      print(thrown);
    }
  };
  return (error) => void report(error);
}

function print(error: unknown): void {
  // biome-ignore lint/suspicious/noConsole: an error without a handler must not be lost.
  console.error(error);
}
