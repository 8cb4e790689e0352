/** How many requests begin with the whole request before them, as a provider's cache sees it: tools, system, messages. */

/** The share of all requests but the first; marks for the cache may wander. */
export function prefixKept(bodies: readonly unknown[]): number {
  const requests = bodies.map((body) => pieces(body as Body));
  const kept = requests.slice(1).filter((request, at) => isBeginning(requests[at] ?? [], request));
  return kept.length / Math.max(1, requests.length - 1);
}

interface Body {
  readonly tools?: readonly unknown[];
  readonly system?: unknown;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

function pieces({ tools = [], system = [], messages }: Body): readonly string[] {
  return [
    ...tools.map(spelled),
    ...blocks(system).map(spelled),
    ...messages.flatMap(({ role, content }) => blocks(content).map((block) => `${role} ${spelled(block)}`)),
  ];
}

function blocks(content: unknown): readonly unknown[] {
  return Array.isArray(content) ? content : [{ type: "text", text: content }];
}

function spelled(piece: unknown): string {
  return JSON.stringify(piece, (name, value) => (name === "cache_control" ? undefined : value));
}

function isBeginning(beginning: readonly string[], whole: readonly string[]): boolean {
  return beginning.length <= whole.length && beginning.every((piece, at) => piece === whole[at]);
}
