/** Runs the functions of all extensions at once; one that throws or hangs leaves nothing behind, and the others go on. */

import { attempted, type Ports, patience } from "@pith/context";
import type { Complain } from "../admitting/complain.ts";
import type { ExtensionActs, NamedExtension } from "../extensions.ts";
import { apiFor, nothingRegistered, type Registered } from "./registered.ts";

export interface FactoryParts {
  readonly ports: Pick<Ports, "sleep">;
  readonly acts: () => ExtensionActs;
  readonly complainer: (extension: string) => Complain;
}

export interface Ran {
  /** In the order in which they were named. */
  readonly registered: readonly Registered[];
  readonly notes: readonly string[];
}

export async function runFactories(named: readonly NamedExtension[], parts: FactoryParts): Promise<Ran> {
  const ran = await Promise.all(named.map((each) => runFactory(each, parts)));
  return {
    registered: ran.filter((each) => typeof each !== "string"),
    notes: ran.filter((each) => typeof each === "string"),
  };
}

async function runFactory(
  { name, extension }: NamedExtension,
  { ports, acts, complainer }: FactoryParts,
): Promise<Registered | string> {
  const registered = nothingRegistered(name);
  let isOpen = true;
  const api = apiFor(registered, { isOpen: () => isOpen, acts, complain: complainer(name) });
  const within = { ms: patience.hook, sleep: ports.sleep };
  const act = await attempted(async () => extension(api), { within });
  isOpen = false;
  switch (act.type) {
    case "done":
      return registered;
    case "failed":
      return `extension ${name} is left out: ${act.why}`;
    case "late":
    case "aborted":
      return `extension ${name} is left out: its function has not returned within ${patience.hook / 1000} s`;
  }
}
