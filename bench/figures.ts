/** The value below which a share of the sorted samples lies. */
export function quantile(samples: Float64Array | readonly number[], share: number): number {
  const sorted = Float64Array.from(samples).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export function median(samples: Float64Array | readonly number[]): number {
  return quantile(samples, 0.5)
}

/** `1.23 (1.20-1.31)`: the median of several runs and their range; for one run, its figure alone. */
export function spread(samples: readonly number[], digits: number): string {
  const text = (value: number): string => value.toFixed(digits)
  if (samples.length === 1) return text(samples[0]!)
  return `${text(median(samples))} (${text(Math.min(...samples))}-${text(Math.max(...samples))})`
}

/** Prints rows as a table that can be pasted into a Markdown page. */
export function printTable(title: string, header: readonly string[], rows: readonly (readonly string[])[]): void {
  console.log(`\n### ${title}\n`)
  console.log(`| ${header.join(' | ')} |`)
  console.log(`|${header.map((_, column) => (column === 0 ? '---' : '--:')).join('|')}|`)
  for (const row of rows) console.log(`| ${row.join(' | ')} |`)
}
