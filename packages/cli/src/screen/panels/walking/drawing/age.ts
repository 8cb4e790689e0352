/** How long ago something was, in two or three letters. Pure. */

/** Empty where nobody knows. */
export function age(time: number, now: number): string {
  if (time <= 0) return "";
  const minutes = Math.max(0, Math.floor((now - time) / 60_000));
  if (minutes < 1) return "now";
  if (minutes < 60) return `${minutes} m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours} h`;
  const days = Math.floor(hours / 24);
  return days < 365 ? `${days} d` : `${Math.floor(days / 365)} y`;
}
