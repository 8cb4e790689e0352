/** The commands of RPC, from the table that the compiler holds complete. */

import { rpcTable } from "pith/tables";
import { table } from "./table.ts";

export const rpcTables: Readonly<Record<string, () => string>> = {
  "rpc-commands": () =>
    table(
      ["command", "what it does", "fields", "example"],
      Object.entries(rpcTable).map(([name, row]) => [
        `\`${name}\``,
        row.says,
        fieldsOf(row.fields),
        `\`${JSON.stringify(row.example)}\``,
      ]),
    ),
};

interface Field {
  readonly says: string;
  readonly isOptional?: true;
}

function fieldsOf(fields: Readonly<Record<string, Field>>): string {
  const all = Object.entries(fields).map(
    ([name, { says, isOptional }]) => `\`${name}\`${isOptional ? "?" : ""}: ${says}`,
  );
  return all.join("; ");
}
