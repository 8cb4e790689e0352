/** A list of things to do: the model keeps it with a tool, you see it with /todo, and it is told again after every compaction. */

import type { ExtensionApi } from "@pith/agent";

interface Item {
  readonly text: string;
  readonly isDone: boolean;
}

export default (pith: ExtensionApi): void => {
  let items: readonly Item[] = [];

  // What the log says is what there is: after a restart, and after a move to another branch.
  const recall = (entries: readonly { readonly type: string }[]): void => {
    items = entries.flatMap((entry) => itemsIn(entry) ?? []).at(-1) ?? [];
  };
  pith.on("session_start", async (_, { session }) => recall(await session.branch()));
  pith.on("session_tree", async (_, { session }) => recall(await session.branch()));

  pith.registerTool({
    name: "todo",
    description: "Keeps the list of things to do. Say all of them each time, those that are done included.",
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
    async run({ arguments: asked }) {
      items = listed(asked.items);
      await pith.appendEntry(TODO, { items });
      return { content: [{ type: "text", text: shown(items) }] };
    },
  });
  pith.registerCommand("todo", { description: "what is to be done", run: async () => shown(items) });
  pith.registerState("todo", () => (items.length === 0 ? null : `Things to do:\n${shown(items)}`));
};

const TODO = "todo";

function itemsIn(entry: { readonly type: string }): readonly (readonly Item[])[] | null {
  const { customType, data } = entry as { readonly customType?: string; readonly data?: { readonly items?: unknown } };
  return entry.type === "custom" && customType === TODO ? [listed(data?.items)] : null;
}

function listed(value: unknown): readonly Item[] {
  if (!Array.isArray(value)) throw new Error("items is a list of { text, isDone }");
  return value.map(({ text, isDone }) => ({ text: String(text), isDone: isDone === true }));
}

function shown(items: readonly Item[]): string {
  if (items.length === 0) return "nothing is to be done";
  return items.map(({ text, isDone }) => `[${isDone ? "x" : " "}] ${text}`).join("\n");
}
