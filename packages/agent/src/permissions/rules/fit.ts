/** How a rule fits, with the doubt kept: a rule that may fit is not one that does. */

/** `unsure`: nobody but a shell, or the tool itself, could tell. */
export type Fit = "fits" | "unsure" | "not";

export function nearest(fits: readonly Fit[]): Fit {
  return (["fits", "unsure"] as const).find((fit) => fits.includes(fit)) ?? "not";
}
