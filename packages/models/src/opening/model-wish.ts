/** Which model is wanted, and what is around it. */

import type { Ports } from "@pith/context";
import type { Catalogue } from "../catalogue/catalogue.ts";
import type { Environment } from "../network/environment.ts";
import type { WindowMemory } from "../windows/memory.ts";
import type { Patience } from "../wrapping/retrying.ts";

export interface ModelWish {
  /** A provider known by name, or any name where `package` says how to reach it. */
  readonly provider: string;
  readonly model: string;
  readonly baseUrl?: string;
  /** Otherwise the provider's variable in the environment holds it. */
  readonly apiKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Tokens it may see at most, whatever it could. */
  readonly contextWindow?: number;
  /** Tokens of one answer at most. */
  readonly maxTokens?: number;
  /** The name of an AI SDK provider package that is installed beside the program. */
  readonly package?: string;
  /** Whose requests share a prefix, for providers that want to be told; a session's id will do. */
  readonly cacheKey?: string;
}

/** Each has a default: the machine's. */
export interface Surroundings {
  readonly environment?: Environment;
  readonly ports?: Pick<Ports, "now" | "sleep">;
  readonly random?: () => number;
  readonly catalogue?: Catalogue;
  /** Where learnt windows are remembered; without one they are forgotten when the process ends. */
  readonly windows?: WindowMemory;
  readonly patience?: Partial<Patience>;
  readonly fetch?: typeof fetch;
}
