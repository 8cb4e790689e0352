/** The events that programs read, from the table that the compiler holds complete. */

import { eventTable, replyTable } from "pith/tables";
import { table } from "./table.ts";

export const eventTables: Readonly<Record<string, () => string>> = {
  events: () => table(["event", "when", "fields"], rows(eventTable)),
  "events-reply": () =>
    table(
      ["when", "event of a reply", "fields"],
      rows(replyTable).map(([name = "", says = "", fields = ""]) => [says, name, fields]),
    ),
  "events-lines": () =>
    ["```json", ...Object.values(eventTable).map(({ example }) => JSON.stringify(example)), "```"].join("\n"),
};

interface Row {
  readonly says: string;
  readonly example: object;
}

function rows(all: Readonly<Record<string, Row>>): readonly (readonly string[])[] {
  return Object.entries(all).map(([name, { says, example }]) => {
    const fields = Object.keys(example).filter((field) => field !== "type");
    return [`\`${name}\``, says, fields.map((field) => `\`${field}\``).join(" ")];
  });
}
