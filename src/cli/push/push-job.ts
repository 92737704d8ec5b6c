import type { TidemarkClient } from '../../client/client.ts'
import type { RowFormat } from '../../file-push/file-name.ts'
import type { OldRows } from '../../file-push/old-rows.ts'
import type { CliContext } from '../context.ts'
import type { JsonOption } from '../output.ts'
import type { CsvOptions } from './csv-options.ts'
import type { RowsSource } from './source.ts'

export interface FilePushOptions extends JsonOption, CsvOptions {
  readonly format?: RowFormat
  readonly batchRows: number
  readonly batchBytes: number
  readonly concurrency: number
  readonly skipRows: number
  readonly dryRun?: boolean
  readonly stopAfter?: number
}

export interface PushJob {
  readonly context: CliContext
  readonly client: TidemarkClient
  readonly ingest: string
  readonly options: FilePushOptions
  readonly source: RowsSource
  /** Counts those that nobody will be shown. */
  readonly oldRows: OldRows
}
