/** All extensions of this folder, with where each comes from and what it can do. */

import type { Call, Outcome } from "../../subcommands/subcommand.ts";
import { extensionsHere, foundHere } from "../extensions-here.ts";
import type { Origin } from "../finding/found-extension.ts";
import { capabilityLines } from "./capabilities.ts";

export async function listed({ cwd, home, environment, flags, note }: Call): Promise<Outcome> {
  const { whatHolds } = await import("../../home/what-holds.ts");
  const holds = await whatHolds({ choices: {}, trusts: flags.trust === true }, { cwd, home, environment });
  if (holds.type === "mistake") return holds;
  for (const line of holds.notes) note(`pith: ${line}`);
  const { choices, trusted } = holds;
  if (choices.extensions === false)
    return {
      type: "shown",
      text: "no extension is loaded: the setting extensions is false",
      data: { extensions: [], notes: [] },
    };
  const { found } = await foundHere({ home, trusted });
  const { list = [], notes = [] } = (await extensionsHere({ cwd, home, environment, choices, trusted, note })) ?? {};
  const origins = new Map(found.map(({ name, from }) => [name, from]));
  const rows = list.map((each) => ({ ...each, from: origins.get(each.name) ?? ("pith" as const) }));
  const told = rows.map((row) =>
    [`${row.name}, ${WHENCE[row.from]}`, ...capabilityLines({ ...row, notes: [] })].join("\n"),
  );
  const text = [...(told.length === 0 ? [NOBODY] : told), ...notes].join("\n");
  return { type: "shown", text, data: { extensions: rows, notes } };
}

const WHENCE: Readonly<Record<Origin | "pith", string>> = {
  pith: "comes with Pith",
  user: "yours",
  package: "yours, a package",
  project: "of this project",
};

const NOBODY = "there is no extension here; pith extensions add PATH adds one";
