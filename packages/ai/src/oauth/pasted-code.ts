/** Parses the code that a user pastes after a login in a browser that cannot reach this machine. */

/**
 * Returns the parameters in a URL, a query string, `code#state`, or a code alone. A code alone gets the state of this
 * login, because PKCE binds the code to the login.
 */
export function readPastedCode(text: string, state: string, issuer: string): URLSearchParams {
  const pasted = text.trim();
  const query = URL.parse(pasted)?.searchParams ?? (/^\??(code|error|state)=/.test(pasted) ? pasted : undefined);
  if (query !== undefined) return new URLSearchParams(query);
  const [code = "", pastedState = state] = pasted.split("#", 2);
  return new URLSearchParams({ code, state: pastedState, iss: issuer });
}
