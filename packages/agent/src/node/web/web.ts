/** Implements web access on this machine. The HTTP client is loaded lazily, with the first page. */

import type { Web } from "../../ports.ts";
import type { NodeWebOptions } from "./open-page.ts";

/** Pages of the public internet. Sends no cookies and no credentials; a proxy in the environment is not used. */
export function nodeWeb(options: NodeWebOptions = {}): Web {
  return {
    open: async (url, openOptions) => {
      // TLS and decompression are slow to load, and most sessions fetch nothing.
      const { openPage } = await import("./open-page.ts");
      return await openPage(url, openOptions, options);
    },
  };
}
