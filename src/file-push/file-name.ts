export const rowFormats = ['csv', 'ndjson', 'json'] as const
export type RowFormat = (typeof rowFormats)[number]

/** Splits `readings.csv.gz` into its name and its format. */
export function describeName(fileName: string): { name: string; format: RowFormat | null } {
  const [, name = '', ending = ''] = /^(.*?)(?:\.(csv|ndjson|jsonl|json))?(?:\.gz)?$/i.exec(fileName) ?? []
  const format = ending.toLowerCase() === 'jsonl' ? 'ndjson' : ending.toLowerCase()
  return { name, format: rowFormats.find((known) => known === format) ?? null }
}
