/** `fetch` as a company's network wants it: through the proxy that the environment names, trusting what the system trusts. */

import { trustSystem } from "./certificates.ts";
import type { Environment } from "./environment.ts";
import { useProxy } from "./proxy.ts";

/** The same for the whole process: Node keeps proxy and certificates in one place. */
export function networkFetch(environment: Environment): typeof fetch {
  useProxy(environment);
  return async (address, options) => {
    try {
      return await fetch(address, options);
    } catch (error) {
      if (!isUntrusted(error) || !trustSystem()) throw error;
      // The handshake failed, so nothing was sent yet: asking again is safe.
      return fetch(address, options);
    }
  };
}

const UNTRUSTED = new Set([
  ...["SELF_SIGNED_CERT_IN_CHAIN", "DEPTH_ZERO_SELF_SIGNED_CERT", "UNABLE_TO_VERIFY_LEAF_SIGNATURE"],
  ...["UNABLE_TO_GET_ISSUER_CERT", "UNABLE_TO_GET_ISSUER_CERT_LOCALLY"],
]);

function isUntrusted(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && "code" in cause && UNTRUSTED.has(String(cause.code));
}
