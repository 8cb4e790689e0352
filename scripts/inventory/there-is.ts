/** All that a person can type, set or read: every flag, command, subcommand, setting, event, RPC command and hook, by the tables that the program goes by. */

import { extensionEventTable } from "@pith/agent";
import { commands, eventNames, flags, rpcNames, settingTable, subcommands } from "pith/tables";

/** As documents and runs name them: `--model`, `/compact`, `pith sessions list --all`, `compaction.enabled`, `compaction_end`. */
export function thereIs(): ReadonlySet<string> {
  return new Set([
    ...Object.keys(flags).map((name) => `flag --${name}`),
    ...commands.flatMap(({ name, aliases = [] }) => [name, ...aliases].map((each) => `command /${each}`)),
    ...subcommands.flatMap(({ name, flags: own }) => [
      `subcommand pith ${name}`,
      ...[...Object.keys(own), "json", "help"].map((flag) => `subcommand pith ${name} --${flag}`),
    ]),
    ...settingTable.map(({ name }) => `setting ${name}`),
    ...eventNames.map((name) => `event ${name}`),
    ...rpcNames.map((name) => `rpc ${name}`),
    ...Object.keys(extensionEventTable).map((name) => `hook ${name}`),
  ]);
}
