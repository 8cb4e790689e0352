/** Servers of models on this machine, found on their usual ports: nothing but this machine is asked, and nobody waits for one that is not there. */

import { get } from "node:http";
import { type Provider, providers } from "@pith/models";
import { modelIds } from "./model-ids.ts";

export interface LocalModels {
  /** The provider's id. */
  readonly provider: string;
  readonly models: readonly string[];
}

export interface Looking {
  /** Who may be there. */
  readonly locals?: readonly Pick<Provider, "id" | "baseUrl">[];
  /** Milliseconds until somebody is there. */
  readonly within?: number;
}

export async function localServers(looking: Looking = {}): Promise<readonly LocalModels[]> {
  const { locals = providers.filter(({ isLocal }) => isLocal), within = 300 } = looking;
  const found = await Promise.all(
    locals.map(async ({ id, baseUrl = "" }) => ({
      provider: id,
      models: modelIds(await answerAt(`${baseUrl}/models`, within)),
    })),
  );
  return found.filter(({ models }) => models.length > 0);
}

/** Null where nobody is there, or somebody else: any web server may have that port. */
function answerAt(url: string, within: number): Promise<unknown> {
  return new Promise((resolve) => {
    const request = get(url, { timeout: within }, async (response) => {
      try {
        let text = "";
        for await (const chunk of response.setEncoding("utf8")) {
          text += chunk;
          if (text.length > MOST_LETTERS) break;
        }
        resolve(response.statusCode === 200 ? JSON.parse(text) : null);
      } catch {
        resolve(null); // No JSON, or it broke off: then it is none of these servers.
      }
    });
    // Whoever is there is given time to answer.
    request.on("socket", (socket) => socket.on("connect", () => request.setTimeout(ANSWER)));
    request.on("timeout", () => request.destroy());
    request.on("error", () => resolve(null));
  });
}

/** In milliseconds. */
const ANSWER = 2_000;
const MOST_LETTERS = 1_000_000;
