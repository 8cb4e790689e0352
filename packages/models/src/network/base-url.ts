/** Completes a base URL that lacks the version of its API, so that it works with and without `/v1` wherever the user gives it. */

import { PlainResponse } from "./http-response.ts";

export interface BaseUrlOptions {
  /** The wire protocol. */
  readonly api: string;
  readonly fetch: typeof fetch;
}

export interface Endpoint {
  /** Without a slash at the end. */
  readonly baseUrl: string;
  /** Also tries the other form of the base URL if the server knows no path under the first. */
  readonly fetch: typeof fetch;
}

/**
 * Returns the base URL with the version of its API, and the `fetch` to use with it.
 *
 * @example
 * createEndpoint("http://127.0.0.1:8080", { api: "openai-completions", fetch }).baseUrl // "http://127.0.0.1:8080/v1"
 */
export function createEndpoint(baseUrl: string, { api, fetch }: BaseUrlOptions): Endpoint {
  const [firstUrl, otherUrl] = listBaseUrls(baseUrl, api);
  return { baseUrl: firstUrl, fetch: otherUrl === undefined ? fetch : withOtherBaseUrl(fetch, firstUrl, otherUrl) };
}

/** A URL that names a version is used as it is. The likelier form comes first: some OpenAI-compatible gateways have no version in their path. */
function listBaseUrls(baseUrl: string, api: string): readonly [string, string?] {
  const url = URL.parse(baseUrl);
  const givenUrl = baseUrl.trim().replace(/\/+$/, "");
  if (url === null || url.search !== "" || VERSION_AT_END.test(url.pathname)) return [givenUrl];
  const versionedUrl = `${givenUrl}/${api === "google-generative-ai" ? "v1beta" : "v1"}`;
  // Programs for Claude and Gemini add the version themselves, so that their users never write it.
  const isAddedByOthers = api === "anthropic-messages" || api === "google-generative-ai";
  return url.pathname === "/" || isAddedByOthers ? [versionedUrl, givenUrl] : [givenUrl, versionedUrl];
}

const VERSION_AT_END = /\/v\d+(?:(?:alpha|beta)\d*)?\/*$/;

/** The form that the server knows is used for all later requests. */
function withOtherBaseUrl(fetch: typeof globalThis.fetch, firstUrl: string, otherUrl: string): typeof globalThis.fetch {
  let isOtherKnown = false;
  return async (input, options) => {
    const url = typeof input === "string" || input instanceof URL ? String(input) : null;
    if (url === null || !url.startsWith(`${firstUrl}/`)) return await fetch(input, options);
    const replacedUrl = otherUrl + url.slice(firstUrl.length);
    if (isOtherKnown) return await fetch(replacedUrl, options);
    const response = await readMissingPath(await fetch(url, options));
    if (!response.isPathMissing) return response.response;
    const otherResponse = await readMissingPath(await fetch(replacedUrl, options));
    if (otherResponse.isPathMissing) return response.response;
    isOtherKnown = true;
    return otherResponse.response;
  };
}

interface CheckedResponse {
  readonly response: Response;
  readonly isPathMissing: boolean;
}

/** A 404 that mentions the model comes from a server that knows the path. */
async function readMissingPath(response: Response): Promise<CheckedResponse> {
  if (response.status !== 404) return { response, isPathMissing: false };
  const text = await response.text();
  const { status, statusText, headers, url, redirected } = response;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text));
      controller.close();
    },
  });
  return {
    response: new PlainResponse({ status, statusText, headers, url, redirected, body }),
    isPathMissing: !/model/i.test(text),
  };
}
