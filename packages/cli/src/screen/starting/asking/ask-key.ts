/** Asks for a key until there is one that its provider does not refuse, or nobody wants to give one. */

import type { Environment } from "@pith/models";
import { keyFile } from "../../../home/keys.ts";
import type { Stage } from "../../stage.ts";
import type { House } from "../finding/houses.ts";
import { tryKey } from "../finding/try-key.ts";
import { secretLine } from "../panels/secret-line.ts";
import { whileWaiting } from "../panels/while-waiting.ts";
import { refusedKey, uncheckedKey } from "../words.ts";

export interface GivenKey {
  readonly key: string;
  /** What it is good for, as far as its provider told. */
  readonly models: readonly string[];
}

export interface KeyPlace {
  readonly environment: Environment;
  /** Pith's home. */
  readonly home: string;
  readonly screen: Stage;
}

/** Null where that was put off. */
export async function askKey(house: House, { environment, home, screen }: KeyPlace): Promise<GivenKey | null> {
  const { provider, name, keysAt } = house;
  const title = `Your key for ${name}`;
  const says = `You get one at ${keysAt}. It is kept in ${keyFile(home)}, which only you can read.`;
  for (let fault: string | null = null; ; ) {
    const key = await screen.ask(secretLine({ title, says, fault }), { where: "inline" });
    if (key === null) return null;
    const verdict = await whileWaiting(`Asking ${name} whether it takes this key`, screen, (signal) =>
      tryKey({ provider, key, environment, signal }),
    );
    if (verdict?.type === "accepted") return { key, models: verdict.models };
    if (verdict?.type === "refused") fault = refusedKey(name, verdict.status);
    else {
      screen.tell(uncheckedKey(name, verdict?.why ?? "you did not wait"), "warning");
      return { key, models: [] };
    }
  }
}
