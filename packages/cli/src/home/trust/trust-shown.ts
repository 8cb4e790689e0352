/** Trusts the very bytes that somebody has seen, whatever lies there by now. */

import type { Redaction } from "@pith/context";
import type { Holdings } from "./holding/held-file.ts";
import { keepTrust, type TrustKept } from "./keeping/trust-file.ts";
import { trustRecord } from "./keeping/trust-record.ts";

export interface Keeping {
  /** Pith's home. */
  readonly home: string;
  /** What it would change is kept by its hash alone. */
  readonly redaction: Redaction;
}

export async function trustShown(holds: Holdings, { home, redaction }: Keeping): Promise<TrustKept> {
  const trusted = new Date().toISOString();
  return await keepTrust(holds.root, { home, record: (before) => trustRecord(holds, { trusted, before, redaction }) });
}
