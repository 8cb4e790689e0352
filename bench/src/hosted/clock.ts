/** Tells the time with fractions of a millisecond, on a clock that all processes of the machine share. */

export function nowMs(): number {
  return performance.timeOrigin + performance.now();
}
