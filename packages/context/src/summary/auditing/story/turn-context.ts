/** The rule and the title between a summary and the turn it was cut in (B44): they go with the heading behind them. */

export const FIRST_OF_TURN = "## Original Request";
export const TITLE = "**Turn Context (split turn):**";
export const RULE: readonly string[] = ["---", "", TITLE, ""];
