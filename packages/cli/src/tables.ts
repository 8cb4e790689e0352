/** The tables that the program goes by, for the pages that are made of them. */

export { flags } from "./asking/flags.ts";
export { help } from "./asking/help.ts";
export type { Command } from "./commands/command.ts";
export { commands } from "./commands/commands.ts";
export { readCommentedJson } from "./home/commented-json/read-commented-json.ts";
export { limitsOf } from "./home/limits.ts";
export type { Setting } from "./home/settings/known/setting.ts";
export { settingTable } from "./home/settings/known/table.ts";
export { settingsSchema } from "./home/settings/schema.ts";
export type { CompactionSettings } from "./home/settings.ts";
export { rpcNames, rpcTable } from "./rpc/rows/table.ts";
export { type EditorKeyRow, editorKeys } from "./screen/keys/editor-keys.ts";
export { type KeyRow, keyTable } from "./screen/keys/key-table.ts";
export { spelling, usage } from "./subcommands/calling/help-for.ts";
export type { Subcommand } from "./subcommands/subcommand.ts";
export { subcommands } from "./subcommands/subcommands.ts";
export { eventNames, eventTable } from "./wire/event-table.ts";
export { replyTable } from "./wire/reply-table.ts";
