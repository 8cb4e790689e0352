/** Posts JSON and reads the status, headers and error of the response. */

export interface PostResult {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The message of an error in the provider's format. */
  readonly message: string;
  /** Google's error status, or the error type of the other providers. */
  readonly kind: string;
}

export async function postJson(
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<PostResult> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const text = await response.text();
  const error = parseError(text);
  return {
    status: response.status,
    headers: response.headers,
    text,
    message: String(error.message),
    kind: String(error.status ?? error.type),
  };
}

function parseError(text: string): { readonly message?: unknown; readonly status?: unknown; readonly type?: unknown } {
  try {
    return JSON.parse(text).error ?? {};
  } catch {
    // An event stream is not JSON and not an error.
    return {};
  }
}
