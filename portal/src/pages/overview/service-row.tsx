import type { ComponentChildren } from 'preact'
import type { ReadinessAnswer } from '../../../../src/client/answers.ts'
import { bytesText, countText, rateText } from '../../parts/formats.ts'
import { SparkLine } from '../../parts/spark.tsx'
import { useQuery } from '../../shell/asking.ts'
import { type SelfHistory, type SelfValue, selfHistory } from '../operate/self-history.ts'

const figures: readonly (readonly [name: string, value: SelfValue, text: (value: number) => string])[] = [
  ['Rows a second', 'rows_per_second', rateText],
  ['Rejected a second', 'rejected_per_second', rateText],
  ['Queries a second', 'queries_per_second', rateText],
  ['Slowest of 100 queries', 'query_p99_ms', (ms) => `${rateText(ms)} ms`],
  ['Memory', 'memory_bytes', bytesText],
  ['In files', 'stored_bytes', bytesText],
]

/** The service's performance in one row: now, and in the last hour. */
export function ServiceRow({ ready }: { readonly ready: ReadinessAnswer | null }) {
  const { value: history } = useQuery((client) => selfHistory(client, 'PT1H', Date.now()), ['service'], {
    everyMs: 15_000,
  })
  const disk = ready?.disk
  const store = ready?.store
  if (history === null && disk === undefined && store === undefined) return null
  return (
    <section aria-label="The service">
      <dl class="figures thin">
        {history !== null &&
          figures.map(([name, value, text]) => (
            <HistoryFigure key={name} name={name} values={history.values[value]} history={history} text={text} />
          ))}
        {history === null && store !== undefined && (
          <Thin name="In files">
            {bytesText(store.bytes)}, {countText(store.rows)} rows
          </Thin>
        )}
        {disk?.freeBytes != null && <Thin name="Free on the disk">{bytesText(disk.freeBytes)}</Thin>}
      </dl>
    </section>
  )
}

interface FigureProps {
  readonly name: string
  readonly values: readonly (number | null)[]
  readonly history: SelfHistory
  text(value: number): string
}

function HistoryFigure({ name, values, history, text }: FigureProps) {
  const points = history.seconds.flatMap((second, place): (readonly [number, number])[] => {
    const value = values[place]
    return value == null ? [] : [[second * 1000, value]]
  })
  const newest = points.at(-1)
  return (
    <Thin name={name}>
      {newest === undefined ? '–' : text(newest[1])}
      <SparkLine
        title={`${name}, over the last hour`}
        points={points}
        fromMs={history.fromMs}
        toMs={history.toMs}
        gapMs={4 * history.stepMs}
      />
    </Thin>
  )
}

function Thin({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div class="figure">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
