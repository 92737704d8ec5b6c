import type { IngestAnswer } from '../../../../src/client/answers.ts'
import { bytesText, countText, plural, rateText } from '../../parts/formats.ts'
import { Figure } from '../../parts/layout.tsx'
import { type Metrics, total } from '../../parts/metrics-text.ts'
import { useStore } from '../../shell/store.ts'
import { ratesOf } from './rates.ts'
import { rateSamples } from './watch-rates.ts'

interface Props {
  readonly metrics: Metrics | null
  readonly ingests: readonly IngestAnswer[] | null
}

function lastKnown(rates: readonly (number | null)[]): string {
  const rate = rates.at(-1)
  return rate === null || rate === undefined ? '–' : rateText(rate)
}

export function ServiceFigures({ metrics, ingests }: Props) {
  const [, rows, rejected] = ratesOf(useStore(rateSamples))
  const sum = (of: keyof IngestAnswer['counters']): number | null =>
    ingests === null ? null : ingests.reduce((all, { counters }) => all + counters[of], 0)
  const shown = (value: number | null, text: (value: number) => string): string => (value === null ? '–' : text(value))
  const metric = (name: string): number | null => (metrics === null ? null : total(metrics, `tidemark_${name}`))
  const sizeOf = (name: string): string => shown(metric(name), bytesText)
  const kept = metric('rejected_kept_bytes')
  return (
    <dl class="figures">
      <Figure name="Rows a second" value={lastKnown(rows)} aside={`${shown(sum('received'), countText)} in all`} />
      <Figure
        name="Rejected a second"
        value={lastKnown(rejected)}
        bad={(rejected.at(-1) ?? 0) > 0}
        aside={`${shown(sum('rejected'), countText)} in all`}
      />
      <Figure
        name="Waiting to be judged"
        value={shown(sum('pending'), countText)}
        aside={`${sizeOf('journal_backlog_bytes')} backlog`}
      />
      <Figure name="Free on the disk" value={sizeOf('disk_free_bytes')} aside={`journal ${sizeOf('journal_bytes')}`} />
      {metric('stored_bytes') !== null && (
        <Figure
          name="In files"
          value={sizeOf('stored_bytes')}
          aside={`${shown(metric('stored_rows'), countText)} rows in ${shown(metric('stored_files'), (files) => plural(files, 'file'))}`}
        />
      )}
      {kept !== null && <Figure name="Rejected rows kept" value={bytesText(kept)} aside="in the lists" />}
    </dl>
  )
}
