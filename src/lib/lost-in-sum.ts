/** What an addition lost (Knuth's two-sum): `sum` is `before + value` as a double. */
export function lostIn(before: number, value: number, sum: number): number {
  const added = sum - before
  return before - (sum - added) + (value - added)
}
