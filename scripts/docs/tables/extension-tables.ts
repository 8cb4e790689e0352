/** The events that extensions hear, from the table that the compiler holds complete. */

import { extensionEventTable } from "@pith/agent";
import { table } from "./table.ts";

export const extensionTables: Readonly<Record<string, () => string>> = {
  "extension-events": () => table(["event", "when", "may answer"], rows()),
};

function rows(): readonly (readonly string[])[] {
  return Object.entries(extensionEventTable).map(([name, { says, asks, example }]) => {
    const answer = example === undefined ? "" : `\`${JSON.stringify(example)}\``;
    return [`\`${name}\``, says, answer || (asks ? "nothing; it is waited for" : "nothing")];
  });
}
