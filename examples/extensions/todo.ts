/** Adds a to-do list: the model updates it with a tool, you see it with /todo, and the model gets it again after every compaction. */

import type { ExtensionApi } from "@pith/agent";

interface Item {
  readonly text: string;
  readonly isDone: boolean;
}

export default (pith: ExtensionApi): void => {
  let items: readonly Item[] = [];

  // The session stores the list, so it survives a restart and follows you to another branch.
  const restore = (entries: readonly { readonly type: string }[]): void => {
    items = entries.flatMap((entry) => readItems(entry) ?? []).at(-1) ?? [];
  };
  pith.on("session_start", async (_, { session }) => restore(await session.branch()));
  pith.on("session_tree", async (_, { session }) => restore(await session.branch()));

  pith.registerTool({
    name: "todo",
    description: "Replaces the to-do list. Pass all items each time, including those that are done.",
    parameters: {
      type: "object",
      properties: {
        items: {
          type: "array",
          items: {
            type: "object",
            properties: { text: { type: "string" }, isDone: { type: "boolean" } },
            required: ["text", "isDone"],
          },
        },
      },
      required: ["items"],
    },
    isIdempotent: true,
    intent: () => ({ type: "nothing" }),
    async run({ arguments: args }) {
      items = parseItems(args.items);
      await pith.appendEntry(TODO, { items });
      return { content: [{ type: "text", text: formatItems(items) }] };
    },
  });
  pith.registerCommand("todo", { description: "show the to-do list", run: async () => formatItems(items) });
  pith.registerState("todo", () => (items.length === 0 ? null : `Things to do:\n${formatItems(items)}`));
};

const TODO = "todo";

function readItems(entry: { readonly type: string }): readonly (readonly Item[])[] | null {
  const { customType, data } = entry as { readonly customType?: string; readonly data?: { readonly items?: unknown } };
  return entry.type === "custom" && customType === TODO ? [parseItems(data?.items)] : null;
}

function parseItems(value: unknown): readonly Item[] {
  if (!Array.isArray(value)) throw new Error("items must be a list of { text, isDone }");
  return value.map(({ text, isDone }) => ({ text: String(text), isDone: isDone === true }));
}

function formatItems(items: readonly Item[]): string {
  if (items.length === 0) return "nothing is to be done";
  return items.map(({ text, isDone }) => `[${isDone ? "x" : " "}] ${text}`).join("\n");
}
