/** `lp` is line protocol. */
export const fileFormats = ['csv', 'ndjson', 'json', 'lp'] as const
export type FileFormat = (typeof fileFormats)[number]

/** Splits `readings.csv.gz` into its name and its format. */
export function describeName(fileName: string): { name: string; format: FileFormat | null } {
  const [, name = '', ending = ''] = /^(.*?)(?:\.(csv|ndjson|jsonl|json|lp))?(?:\.gz)?$/i.exec(fileName) ?? []
  const format = ending.toLowerCase() === 'jsonl' ? 'ndjson' : ending.toLowerCase()
  return { name, format: fileFormats.find((known) => known === format) ?? null }
}
