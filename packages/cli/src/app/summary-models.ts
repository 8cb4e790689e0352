/** Opens the models named for writing summaries when first needed; the session's model comes last. Loaded lazily. */

import { type Model, modelWriter, type Ports, type Writer, type Written } from "@pith/context";
import type { ChosenModel } from "./model.ts";

export interface NamedWriters {
  /** As `provider/model`, in order of preference. */
  readonly names: readonly string[];
  readonly open: (name: string) => Promise<ChosenModel>;
  /** Who speaks at this moment. */
  readonly speaking: () => Model;
  readonly ports: Pick<Ports, "sleep" | "nonce">;
}

/** One that cannot be opened, or fails, is passed over; the receipt says why. */
export function compactionWriters(named: NamedWriters): readonly Writer[] {
  return [...named.names.map((name) => onceNeeded(name, named)), whoSpeaks(named)];
}

function onceNeeded(name: string, { open, ports }: NamedWriters): Writer {
  let own: Writer | null = null;
  return {
    route: name,
    isPaid: true,
    async write(plan, act): Promise<Written> {
      if (!own) {
        const opened = await open(name);
        if (opened.type !== "opened") return { type: "failed", why: opened.message };
        own = modelWriter(opened.model, { ports });
      }
      return own.write(plan, act);
    },
  };
}

function whoSpeaks({ names, speaking, ports }: NamedWriters): Writer {
  const name = (): string => `${speaking().provider}/${speaking().model}`;
  return {
    get route(): string {
      return name();
    },
    isPaid: true,
    // Whoever was asked by name has failed, and would again.
    write: (plan, act) =>
      names.includes(name()) ? { type: "nothing" } : modelWriter(speaking(), { ports }).write(plan, act),
  };
}
