/** One question to a server that may be anything: bounded in time and bytes, never sent on elsewhere. */

/** GET, or POST where there is a body. The path begins with a slash. */
export type Ask = (path: string, body?: Readonly<Record<string, unknown>>) => Promise<unknown>;

export interface AskParts {
  readonly baseUrl: string;
  /** Such as the key for this host; they go to no other. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
  readonly signal: AbortSignal;
}

const MOST_BYTES = 1_048_576;

export function asking({ baseUrl, headers = {}, fetch = globalThis.fetch, signal }: AskParts): Ask {
  const root = rootOf(baseUrl);
  return async (path, body) => {
    try {
      const post = body ? { method: "POST", body: JSON.stringify(body) } : {};
      // A redirect would carry the key to whoever the server names.
      const own = { ...headers, ...(body ? { "content-type": "application/json" } : {}) };
      const answer = await fetch(`${root}${path}`, { ...post, headers: own, redirect: "manual", signal });
      if (answer.status !== 200) return await dropped(answer);
      return JSON.parse(await bounded(answer));
    } catch {
      return null; // Not this server, not now, or no JSON: to the question they are all the same answer.
    }
  };
}

/** The interfaces of these servers stand beside each other under one root, `/v1` and `/api`. */
function rootOf(baseUrl: string): string {
  const url = new URL(baseUrl);
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "").replace(/(?:\/(?:v\d|api))+$/, "");
}

async function bounded(answer: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MOST_BYTES) throw new Error(`more than ${MOST_BYTES} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text;
}

async function dropped(answer: Response): Promise<null> {
  await answer.body?.cancel();
  return null;
}
