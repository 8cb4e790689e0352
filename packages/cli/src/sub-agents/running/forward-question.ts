/** What a sub-agent asks is asked of the person its caller works for; where nobody is there, nobody says yes. */

import type { ExtensionContext } from "@pith/agent";
import type { RpcUiRequest, RpcUiResponse } from "../../rpc/client/index.ts";

export interface Asking {
  readonly context: ExtensionContext;
  /** Who asks, for people. */
  readonly who: string;
  readonly signal: AbortSignal;
}

/** Null for what needs no answer. */
export async function forwardQuestion(asked: RpcUiRequest, asking: Asking): Promise<RpcUiResponse | null> {
  const { id } = asked;
  const unanswered = { type: "extension_ui_response", id, cancelled: true } as const;
  if (!["select", "confirm", "input"].includes(asked.method)) return null;
  if (!asking.context.hasUI) return unanswered;
  // Whatever goes wrong with asking, nobody has said yes.
  const value = await answerTo(asked, asking).catch(() => undefined);
  if (value === undefined) return unanswered;
  return typeof value === "boolean"
    ? { type: "extension_ui_response", id, confirmed: value }
    : { type: "extension_ui_response", id, value };
}

async function answerTo(asked: RpcUiRequest, { context, who, signal }: Asking): Promise<string | boolean | undefined> {
  const { ui } = context;
  const within = { signal, ...("timeout" in asked && asked.timeout !== undefined && { timeout: asked.timeout }) };
  switch (asked.method) {
    case "select":
      return await ui.select(`${who}: ${asked.title}`, asked.options, within);
    case "confirm":
      return await ui.confirm(`${who}: ${asked.title}`, asked.message, within);
    case "input":
      return await ui.input(`${who}: ${asked.title}`, asked.placeholder, within);
    default:
      return undefined;
  }
}
