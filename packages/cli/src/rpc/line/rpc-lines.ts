/** The lines of RPC beside commands: answers, events, and what extensions and permissions ask. */

import type { Question } from "@pith/agent";
import type { WireEvent } from "../../wire/wire-event.ts";
import type { RpcGives, RpcName } from "./rpc-commands.ts";

/** What came of a command. A line that is no command is answered under the name `parse`. */
export type RpcAnswer<Data = unknown> =
  | {
      readonly id?: string;
      readonly type: "response";
      readonly command: string;
      readonly success: true;
      readonly data?: Data;
    }
  | {
      readonly id?: string;
      readonly type: "response";
      readonly command: string;
      readonly success: false;
      readonly error: string;
    };

export type RpcAnswerTo<Name extends RpcName> = RpcAnswer<RpcGives<Name>>;

/** Told without being asked for. */
export type RpcEvent = WireEvent | BashUpdate | RpcUiRequest;

/** The newest of what a shell line of the user's own says, not all of it. */
export interface BashUpdate {
  readonly type: "bash_execution_update";
  readonly command: string;
  readonly output: string;
}

export type RpcUiRequest = { readonly type: "extension_ui_request"; readonly id: string } & (
  | {
      readonly method: "select";
      readonly title: string;
      readonly options: readonly string[];
      readonly timeout?: number;
      /** Where a permission is asked for: the whole question, for whoever draws their own. */
      readonly permission?: Pick<Question, "tool" | "arguments" | "intent" | "text"> & {
        readonly rules: readonly string[];
      };
    }
  | { readonly method: "confirm"; readonly title: string; readonly message: string; readonly timeout?: number }
  | { readonly method: "input"; readonly title: string; readonly placeholder?: string; readonly timeout?: number }
  | { readonly method: "notify"; readonly message: string; readonly notifyType: "info" | "warning" | "error" }
  | { readonly method: "setStatus"; readonly statusKey: string; readonly statusText?: string }
  | { readonly method: "setWidget"; readonly widgetKey: string; readonly widgetLines?: readonly string[] }
);

export type RpcUiResponse = { readonly type: "extension_ui_response"; readonly id: string } & (
  | { readonly value: string }
  | { readonly confirmed: boolean }
  | { readonly cancelled: true }
);
