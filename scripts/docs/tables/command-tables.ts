/** What can be typed: the help of the program, its subcommands and the commands of a conversation, from the tables it goes by. */

import { type Command, commands, help, type Subcommand, spelling, subcommands, usage } from "pith/tables";
import { table } from "./table.ts";

export const commandTables: Readonly<Record<string, () => string>> = {
  "pith-help": () => block("text", help),
  "subcommands-list": () =>
    table(
      ["", ""],
      subcommands.map(({ name, says }) => [`[\`pith ${name}\`](#${anchor(name)})`, says]),
    ),
  subcommands: () => subcommands.map(section).join("\n\n"),
  "conversation-commands": () => table(["command", "what it does", "for example"], commands.map(row)),
};

function section(subcommand: Subcommand): string {
  const { name, says, more, json, flags, examples } = subcommand;
  const rows = Object.entries(flags).map(([flag, each]) => [`\`${spelling(flag, each).trim()}\``, each.says]);
  return [
    `### pith ${name}`,
    block("text", usage(subcommand)),
    sentence(says),
    ...(more === undefined ? [] : [more]),
    ...(rows.length === 0 ? [] : [table(["flag", ""], rows)]),
    block("text", examples.join("\n")),
    `\`--json\` prints \`${json}\``,
  ].join("\n\n");
}

/** As the pages of the forge make it of a heading. */
function anchor(name: string): string {
  return `pith-${name.replaceAll(" ", "-")}`;
}

function row({ name, aliases = [], takes = "", says, examples = [] }: Command): readonly string[] {
  const names = [name, ...aliases].map((each) => `\`/${each}\``).join(" ");
  const behind = takes === "" ? "" : ` \`${takes}\``;
  return [`${names}${behind}`, says, examples.map((line) => `\`${line}\``).join(" ")];
}

function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

function block(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}
