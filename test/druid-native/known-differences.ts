/** Recorded queries with different answers here; docs/druid-native.md gives the reasons. */
export const knownDifferences: readonly string[] = [
  'filter-regex-lookahead',
  'gb-order-string-numeric',
  'gb-order-version',
]
