/** From a URL to its page, hop by hop: each is looked at before it is dialled, a redirect no less than the first. */

import type { IncomingMessage } from "node:http";
import type { WebFailed, WebOpened, WebPage, WebRefused } from "../../tools/fetch/web.ts";
import type { ask } from "./ask.ts";
import { bodyOf } from "./body.ts";
import { refused } from "./outcome.ts";
import { type Resolve, type Route, routeTo } from "./routing/route.ts";

export interface Visit {
  readonly url: string;
  readonly allowedHosts: readonly string[];
  /** Redirects so far. */
  readonly hops: number;
  /** The host that was asked for; a redirect stays there. */
  readonly host?: string;
}

export interface VisitAct {
  readonly signal: AbortSignal;
  readonly mostBytes: number;
  readonly connectMs: number;
  readonly resolve: Resolve;
  readonly ask: typeof ask;
}

const MOST_REDIRECTS = 5;

export async function visit({ url, allowedHosts, hops, host }: Visit, act: VisitAct): Promise<WebOpened> {
  const route = await routeTo(url, { ...act, allowedHosts });
  if (route.type !== "route") return hops === 0 ? route : redirected(route, url);
  const here = withoutWww(route.url.hostname);
  // Whoever permitted the one host has not permitted the other.
  if (host !== undefined && here !== host) return redirected(refused("elsewhere", ELSEWHERE), url);
  const response = await act.ask(route, act);
  const next = redirection(route, response);
  if (next === null) return await pageAt(route, response, act.mostBytes);
  response.destroy();
  if (hops === MOST_REDIRECTS) return refused("too-many-redirects", `more than ${MOST_REDIRECTS} redirects`);
  if (isDowngrade(route, next)) return redirected(refused("downgrade", "from https to http"), next);
  // A page from elsewhere must not choose what is fetched from the user's own hosts.
  return await visit({ url: next, allowedHosts: route.isAllowed ? allowedHosts : [], hops: hops + 1, host: here }, act);
}

const ELSEWHERE = "that is another host; fetch it by its own address";

function withoutWww(host: string): string {
  return host.replace(/^www\./, "");
}

/** Where an answer sends us; null where it is the page itself. */
function redirection({ url }: Route, { statusCode, headers }: IncomingMessage): string | null {
  if (!REDIRECTS.has(statusCode ?? 0) || headers.location === undefined) return null;
  return URL.parse(headers.location, url.href)?.href ?? headers.location;
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

function isDowngrade({ url }: Route, next: string): boolean {
  return url.protocol === "https:" && next.startsWith("http:");
}

function redirected<Outcome extends WebRefused | WebFailed>(outcome: Outcome, url: string): Outcome {
  return { ...outcome, message: `redirected to ${url}: ${outcome.message}` };
}

async function pageAt({ url }: Route, response: IncomingMessage, mostBytes: number): Promise<WebPage> {
  const contentType = response.headers["content-type"] ?? null;
  const { bytes, isWhole } = await bodyOf(response, mostBytes);
  return { type: "page", url: url.href, status: response.statusCode ?? 0, contentType, bytes, isWhole };
}
