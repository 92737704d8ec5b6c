// What the ending of a file's name says about the answer that is written into it.
import { extname } from 'node:path'
import { type AnswerFormat, answerFormats } from '../model/answer-format.ts'
import { UsageError } from './usage-error.ts'

const formatNames: readonly string[] = answerFormats.map(({ name }) => name)

const inOtherWords: ReadonlyMap<string, AnswerFormat> = new Map([
  ['jsonl', 'ndjson'],
  ['arrows', 'arrow'],
])

/** Endings of formats in which no answer is written, and what to do in place of that. */
const otherFormats: readonly (readonly [endings: string, way: string])[] = [
  ['xlsx xlsm xls ods', 'spreadsheets open .csv'],
  ['parquet feather ipc orc avro', 'write .arrow or .csv, of which DuckDB, pandas and polars make it'],
  ['gz gzip zst br zip bz2 xz 7z tgz', 'the file is not packed. Write it without that ending, and pack it then'],
  ['tsv tab xml html htm md yaml yml pdf sql db sqlite duckdb pkl h5', 'write .csv, which most programs read'],
]

/**
 * The format that the ending of the name says, null where it says none (.txt). Throws `UsageError` where it names a format in which no answer is
 * written, or another one than `format`, which was asked for.
 */
export function formatOfEnding(path: string, format: AnswerFormat | undefined): AnswerFormat | null {
  const ending = extname(path).slice(1).toLowerCase()
  const named = formatNamed(ending)
  const other = otherFormats.find(([endings]) => endings.split(' ').includes(ending))
  if (named === null && other !== undefined) {
    const known = formatNames.map((name) => `.${name}`).join(', ')
    throw new UsageError(`No answer is written as .${ending}: ${other[1]}. The endings are ${known}.`)
  }
  if (named !== null && format !== undefined && named !== format) {
    throw new UsageError(
      `The name ${path} says ${named}, and --format ${format} was asked for. Give a name that ends in .${format}, or --format ${named}.`,
    )
  }
  return named
}

function formatNamed(ending: string): AnswerFormat | null {
  if (formatNames.includes(ending)) return ending as AnswerFormat
  return inOtherWords.get(ending) ?? null
}
