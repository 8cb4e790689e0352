/** `fetch` as a company's network wants it: through the proxy that the environment names, trusting what the system trusts. */

import { trustSystem } from "./certificates.ts";
import type { Environment } from "./environment.ts";
import { httpFetch } from "./http-fetch/http-fetch.ts";
import { plainRequest } from "./http-fetch/plain-request.ts";
import { isProxied, useProxy } from "./proxy.ts";

/** The same for the whole process: Node keeps proxy and certificates in one place. */
export function networkFetch(environment: Environment): typeof fetch {
  useProxy(environment);
  return async (address, options) => {
    try {
      return await reach(address, options);
    } catch (error) {
      if (!isUntrusted(error) || !trustSystem()) throw error;
      // The handshake failed, so nothing was sent yet: asking again is safe.
      return reach(address, options);
    }
  };
}

const nodes = globalThis.fetch;

/** The light way where it leads to the same; Node's own knows proxies, and somebody who replaced it wants to be asked. */
function reach(...asked: Parameters<typeof fetch>): Promise<Response> {
  const plain = isProxied() || globalThis.fetch !== nodes ? null : plainRequest(...asked);
  return plain ? httpFetch(plain) : fetch(...asked);
}

const UNTRUSTED = new Set([
  ...["SELF_SIGNED_CERT_IN_CHAIN", "DEPTH_ZERO_SELF_SIGNED_CERT", "UNABLE_TO_VERIFY_LEAF_SIGNATURE"],
  ...["UNABLE_TO_GET_ISSUER_CERT", "UNABLE_TO_GET_ISSUER_CERT_LOCALLY"],
]);

function isUntrusted(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && "code" in cause && UNTRUSTED.has(String(cause.code));
}
