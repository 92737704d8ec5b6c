import type { Receipt } from '../../client/answers.ts'
import type { FileFormat } from '../../file-push/file-name.ts'
import type { RowTarget } from '../../file-push/row-target.ts'
import type { LinePrecision } from '../../model/line-format.ts'
import type { CliContext } from '../context.ts'
import type { JsonOption } from '../output.ts'
import type { CsvOptions } from './csv-options.ts'
import type { NamesOfPush } from './report.ts'
import type { RowsSource } from './source.ts'

export interface FilePushOptions extends JsonOption, CsvOptions {
  readonly format?: FileFormat
  readonly precision?: LinePrecision
  readonly batchRows: number
  readonly batchBytes: number
  readonly concurrency: number
  readonly skipRows: number
  readonly dryRun?: boolean
  readonly stopAfter?: number
  readonly retrySeconds: number
}

export interface PushJob extends NamesOfPush {
  readonly context: CliContext
  readonly options: FilePushOptions
  readonly source: RowsSource
  readonly target: RowTarget
  /** The line of a row in an NDJSON file; null if unknown. */
  readonly lineOf: (row: number) => number | null
  /** The receipt of a push. */
  readonly receipt: (batch: string) => Promise<Receipt>
  /** How long a single request is retried. */
  readonly retryMs: number
}
