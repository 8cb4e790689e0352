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
export { actionBindings, type EditorKeyBinding, editorBindings, type KeyBinding } from "./settings/keymap.ts";
export { buildSchema, buildSettingsSchema } from "./settings/list.ts";
export { type CompactionSettings, createLimitsForModel } from "./settings/settings.ts";
export { settingTable } from "./settings/table.ts";
export { formatFlag, formatUsage } from "./subcommands/run.ts";
export { subcommands } from "./subcommands/subcommands.ts";
export { parseJsonc } from "./text/jsonc.ts";
