/** How much a server takes, and what becomes of more. */

export interface Window {
  readonly tokens: number;
  /** More is refused in the provider's words, or cut from the start without a word. */
  readonly over: "refuse" | "truncate";
}
