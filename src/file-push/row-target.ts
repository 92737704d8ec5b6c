import type { CheckAnswer } from '../client/answers.ts'
import type { TidemarkClient } from '../client/client.ts'
import type { PushBatch } from '../client/push-batch.ts'
import type { PushFormat } from '../client/transport.ts'
import type { LinePrecision } from '../model/line-format.ts'
import type { Counted } from './failure.ts'
import type { FileFormat } from './file-name.ts'
import type { KnownIngest } from './known-ingest.ts'
import { LineCounts, type LinesOfRows } from './line-counts.ts'
import { OldRows } from './old-rows.ts'
import { pushFormatOf } from './rows.ts'

/** How the rows of a file are pushed: as JSON rows, or as lines. */
export interface RowTarget {
  /** The unit in which the file is counted. */
  readonly noun: Counted
  readonly format: PushFormat
  /** The number of rows of a text of the file. */
  readonly rowsOf?: (text: Uint8Array) => number
  readonly oldRows: OldRows
  push(batch: PushBatch, idempotencyKey: string): Promise<{ readonly batch: string }>
  check(batch: PushBatch): Promise<CheckAnswer>
  /** Defined if rows and lines differ. */
  linesOf(batch: PushBatch): LinesOfRows | undefined
}

interface RowTargetParts {
  readonly client: TidemarkClient
  readonly ingest: string
  readonly known: Pick<KnownIngest, 'kept' | 'isByField'>
  readonly format: FileFormat
  readonly precision: LinePrecision
}

export function rowTargetOf(parts: RowTargetParts): RowTarget {
  return parts.format === 'lp' ? lineTarget(parts) : rowTarget(parts, pushFormatOf(parts.format))
}

function rowTarget({ client, ingest, known }: RowTargetParts, format: PushFormat): RowTarget {
  return {
    noun: 'row',
    format,
    oldRows: new OldRows(known.kept),
    push: ({ body }, idempotencyKey) => client.push(ingest, body, { format, idempotencyKey }),
    check: ({ body }) => client.check(ingest, body, format),
    linesOf: () => undefined,
  }
}

function lineTarget({ client, ingest, known, precision }: RowTargetParts): RowTarget {
  const counts = new LineCounts({ isByField: known.isByField, precision })
  return {
    noun: 'line',
    format: 'ndjson',
    rowsOf: (line) => counts.rowsOf(line),
    oldRows: new OldRows(known.kept, (line) => counts.ageOf(line)),
    push: ({ body }, idempotencyKey) => client.pushLines(ingest, body, { precision, idempotencyKey }),
    check: ({ body }) => client.checkLines(ingest, body, precision),
    linesOf: ({ texts }) => counts.linesOf(texts),
  }
}
