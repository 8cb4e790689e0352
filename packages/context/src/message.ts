/** Defines the messages and content blocks of a conversation, in pi's spelling: plain data, never changed once written. */

/** One message of a conversation, in pi's spelling. Never changed once written. */
export type Message = SystemMessage | UserMessage | AssistantMessage | ToolResultMessage;

/** Everything that can stand in a conversation: what a model understands, and what becomes a user message when sent. */
export type AgentMessage =
  | Message
  | BashExecutionMessage
  | CustomMessage
  | CompactionSummaryMessage
  | BranchSummaryMessage;

/** A change of the system state: sections patched by name (null removes one), tools added and removed. */
export interface SystemMessage {
  readonly role: "system";
  readonly content: string | readonly TextBlock[];
  /** Named parts besides the content, so that one can change without the rest. */
  readonly sections?: Readonly<Record<string, string | null>>;
  readonly toolsAdded?: readonly Tool[];
  readonly toolsRemoved?: readonly { readonly name: string }[];
  readonly timestamp: number;
}

export interface UserMessage {
  readonly role: "user";
  readonly content: string | readonly (TextBlock | ImageBlock)[];
  /** Who put it there, if it was no person: then it never counts as the user's word. */
  readonly pith?: { readonly from: "program" };
  readonly timestamp: number;
}

export interface AssistantMessage {
  readonly role: "assistant";
  readonly content: readonly (TextBlock | ThinkingBlock | ToolCallBlock)[];
  /** The wire protocol it came over, e.g. `anthropic-messages`. */
  readonly api: string;
  readonly provider: string;
  readonly model: string;
  readonly usage: Usage;
  readonly stopReason: StopReason;
  readonly errorMessage?: string;
  readonly timestamp: number;
}

/** `deferred`: the answer will come later, in a message of its own. */
export type StopReason = "stop" | "length" | "toolUse" | "error" | "aborted" | "deferred";

export interface ToolResultMessage {
  readonly role: "toolResult";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly content: readonly (TextBlock | ImageBlock)[];
  readonly details?: unknown;
  readonly isError: boolean;
  readonly timestamp: number;
}

/** A shell line the user ran; `excludeFromContext` keeps it from the model. */
export interface BashExecutionMessage {
  readonly role: "bashExecution";
  readonly command: string;
  readonly output: string;
  readonly exitCode?: number | null;
  readonly cancelled: boolean;
  readonly truncated: boolean;
  readonly fullOutputPath?: string;
  readonly excludeFromContext?: boolean;
  readonly timestamp: number;
}

/** A message kind of one's own, told apart by `customType`; the model reads it as a user message. */
export interface CustomMessage {
  readonly role: "custom";
  readonly customType: string;
  readonly content: string | readonly (TextBlock | ImageBlock)[];
  readonly display: boolean;
  readonly details?: unknown;
  readonly timestamp: number;
}

/** Stands for everything a compaction covered. Never written as a message of its own. */
export interface CompactionSummaryMessage {
  readonly role: "compactionSummary";
  readonly summary: string;
  readonly tokensBefore: number;
  /** Lengths of the text blocks it is sent as, so that a provider can keep those that stay; absent: one block. */
  readonly blocks?: readonly number[];
  readonly timestamp: number;
}

/** Stands for a branch that was left. Never written as a message of its own. */
export interface BranchSummaryMessage {
  readonly role: "branchSummary";
  readonly summary: string;
  readonly fromId: string;
  readonly timestamp: number;
}

export type Block = TextBlock | ThinkingBlock | ImageBlock | ToolCallBlock;

export interface TextBlock {
  readonly type: "text";
  readonly text: string;
  readonly textSignature?: string;
  readonly pith?: BlockData;
}

/** Fields of ours beside those of pi. No provider is sent them. */
export interface BlockData {
  /** Of a block in a user message that the user attached and did not type. */
  readonly attachment?: AttachmentMark;
  readonly [field: string]: unknown;
}

/** What was attached: its text is never the user's word. */
export interface AttachmentMark {
  readonly kind: AttachmentKind;
  /** A path, an address, or the marker that stands for it in the typed text. */
  readonly name: string;
  /** Of a prompt template or a skill: what the user typed to insert it. */
  readonly typed?: string;
}

export type AttachmentKind =
  | "file"
  | "folder"
  | "image"
  | "stdin"
  | "paste"
  | "resource"
  | "attachment"
  | "template"
  | "skill";

/** Reasoning. The signature belongs to these exact bytes: both are sent as they came, or neither. */
export interface ThinkingBlock {
  readonly type: "thinking";
  readonly thinking: string;
  readonly thinkingSignature?: string;
  /** The provider keeps the text to itself; the signature holds it, encrypted. */
  readonly redacted?: boolean;
}

export interface ImageBlock {
  readonly type: "image";
  /** Base64. */
  readonly data: string;
  readonly mimeType: string;
  readonly pith?: BlockData;
}

export interface ToolCallBlock {
  readonly type: "toolCall";
  readonly id: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly thoughtSignature?: string;
  /** The server a tool came from, where names alone would clash. */
  readonly namespace?: string;
  /** What the model wrote for arguments, where that is no object: such a call is answered, never run. */
  readonly pith?: { readonly unread: string };
}

/** A tool as the model is told of it; `parameters` is JSON Schema. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly parameters: unknown;
  /** A tool of the provider's own, which runs there; models whose provider has none are not told of it. */
  readonly from?: "provider";
}

export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly totalTokens: number;
  readonly cost: Cost;
}

export interface Cost {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly total: number;
}

export type ThinkingLevel = "off" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";
