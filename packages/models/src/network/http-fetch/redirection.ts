/** Where an answer sends us: on to the same server, or nowhere; a key is never shown to another. */

import type { IncomingMessage } from "node:http";
import type { PlainRequest } from "./plain-request.ts";

export type Redirection =
  /** The answer is what was asked for. */
  | { readonly type: "here" }
  | { readonly type: "onward"; readonly request: PlainRequest }
  | { readonly type: "refused"; readonly message: string };

export function redirection(request: PlainRequest, answer: IncomingMessage): Redirection {
  const { url, method, redirect } = request;
  const { statusCode: status = 0, headers } = answer;
  if (!SENT_ON.has(status) || headers.location === undefined || redirect === "manual") return { type: "here" };
  const target = URL.parse(headers.location, url.href);
  if (target === null) return refused("was sent on to something that is no address");
  if (target.origin !== url.origin || target.username !== "" || target.password !== "")
    return refused(`was sent on to ${target.origin}, where its key must not go; if that is right, use that address`);
  if (redirect === "error" || !isRepeatable(method, status))
    return refused(`was sent on to ${target.origin}${target.pathname}; if that is right, use that address`);
  return { type: "onward", request: { ...request, url: target } };
}

const SENT_ON: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

// The other statuses turn a question with a body into one without.
function isRepeatable(method: string, status: number): boolean {
  return method === "GET" || method === "HEAD" || status === 307 || status === 308;
}

function refused(what: string): Redirection {
  return { type: "refused", message: `the request ${what}` };
}
