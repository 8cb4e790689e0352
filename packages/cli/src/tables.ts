/** Exports the tables of flags, commands, keys, events, settings, policy items and subcommands from which documentation is generated. */

export { flags } from "./args/args.ts";
export { help } from "./args/help.ts";
export type { Subcommand } from "./args/subcommand.ts";
export type { Command } from "./commands/command.ts";
export { commands } from "./commands/commands.ts";
export { rpcNames, rpcTable } from "./modes/rpc/commands/commands.ts";
export { policyTable } from "./policy/parse-policy.ts";
export { eventNames, eventTable, replyTable } from "./protocol/event-docs.ts";
export type { Setting } from "./settings/definitions.ts";
export { type EditorKeyRow, editorKeys, type KeyRow, keyTable } from "./settings/keymap.ts";
export { schemaFor, settingsSchema } from "./settings/list.ts";
export { type CompactionSettings, limitsOf } from "./settings/settings.ts";
export { settingTable } from "./settings/table.ts";
export { spelling, usage } from "./subcommands/run.ts";
export { subcommands } from "./subcommands/subcommands.ts";
export { readCommentedJson } from "./text/jsonc.ts";
