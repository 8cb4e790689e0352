/** Exports the tables of flags, commands, keys, events, settings, policy items and subcommands from which documentation is generated. */

export { policyTable } from "@pith/host/policy/parse-policy";
export type { Setting } from "@pith/host/settings/definitions";
export { type CompactionSettings, createLimitsForModel } from "@pith/host/settings/settings";
export { settingTable } from "@pith/host/settings/table";
export { parseJsonc } from "@pith/host/text/jsonc";
export { flags } from "./args/args.ts";
export { help } from "./args/help.ts";
export type { Subcommand } from "./args/subcommand.ts";
export type { Command } from "./commands/command.ts";
export { commands } from "./commands/commands.ts";
export { rpcNames, rpcTable } from "./modes/rpc/commands/commands.ts";
export { eventNames, eventTable, replyTable } from "./protocol/event-docs.ts";
export { actionBindings, type EditorKeyBinding, editorBindings, type KeyBinding } from "./settings/keymap.ts";
export { buildSchema, buildSettingsSchema } from "./settings/list.ts";
export { formatFlag, formatUsage } from "./subcommands/run.ts";
export { subcommands } from "./subcommands/subcommands.ts";
