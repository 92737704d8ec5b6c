/** `lp` is line protocol. */
export const fileFormats = ['csv', 'ndjson', 'json', 'lp'] as const
export type FileFormat = (typeof fileFormats)[number]

const formatsOfEndings: ReadonlyMap<string, FileFormat> = new Map([
  ...fileFormats.map((format) => [format, format] as const),
  ['jsonl', 'ndjson'],
  ['tsv', 'csv'],
])

export interface DescribedName {
  readonly name: string
  readonly format: FileFormat | null
  /** The delimiter, if it is CSV. */
  readonly delimiter: string
}

/** Splits `readings.csv.gz` into its name and its format. */
export function describeName(fileName: string): DescribedName {
  const [, name = '', written = ''] = /^(.*?)(?:\.(csv|tsv|ndjson|jsonl|json|lp))?(?:\.gz)?$/i.exec(fileName) ?? []
  const ending = written.toLowerCase()
  return { name, format: formatsOfEndings.get(ending) ?? null, delimiter: ending === 'tsv' ? '\t' : ',' }
}
