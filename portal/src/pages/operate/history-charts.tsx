import { useState } from 'preact/hooks'
import { Chart, lineColor } from '../../parts/chart.tsx'
import { Segments } from '../../parts/inputs.tsx'
import { Panel } from '../../parts/layout.tsx'
import { gapsOver, lineData, secondsOf } from '../../parts/line-data.ts'
import { shownZone } from '../../parts/shown-zone.ts'
import { zoneText } from '../../parts/zoned-time.ts'
import { useQuery } from '../../shell/asking.ts'
import { useStore } from '../../shell/store.ts'
import { shownTheme } from '../../shell/theme.ts'
import { type HistoryRange, historyRanges, type SelfHistory, type SelfValue, selfHistory } from './self-history.ts'

const megabyte = 1e6

interface Drawn {
  readonly title: string
  readonly lines: readonly (readonly [name: string, value: SelfValue])[]
  readonly divisor?: number
}

const drawn: readonly Drawn[] = [
  {
    title: 'Rows a second',
    lines: [
      ['rows', 'rows_per_second'],
      ['rejected', 'rejected_per_second'],
    ],
  },
  {
    title: 'Requests a second',
    lines: [
      ['requests', 'requests_per_second'],
      ['queries', 'queries_per_second'],
    ],
  },
  {
    title: 'Time of a query, ms',
    lines: [
      ['median', 'query_p50_ms'],
      ['99 of 100 are faster', 'query_p99_ms'],
    ],
  },
  { title: 'Not validated yet, rows', lines: [['rows', 'pending_rows']] },
  {
    title: 'On disk, MB',
    lines: [
      ['sealed files', 'stored_bytes'],
      ['journal', 'journal_bytes'],
    ],
    divisor: megabyte,
  },
  { title: 'Memory, MB', lines: [['memory', 'memory_bytes']], divisor: megabyte },
  { title: 'Processors in use', lines: [['processors', 'processors']] },
  { title: 'Readers of live rows', lines: [['readers', 'live_readers']] },
]

/** The service's own history. The service records it, so it is complete even when first opened. */
export function HistoryCharts({ onKnown }: { onKnown(isKept: boolean): void }) {
  const [range, choose] = useState<HistoryRange>('P1D')
  const zone = useStore(shownZone)
  const asked = useQuery(
    async (client) => {
      const history = await selfHistory(client, range, Date.now())
      onKnown(history !== null)
      return history
    },
    ['self', range],
    { everyMs: 15_000 },
  )
  const history = asked.value
  if (history === null) return null
  return (
    <>
      <div class="actions">
        <Segments
          label="The last"
          value={range}
          choices={historyRanges}
          onValue={(value: HistoryRange) => choose(value)}
        />
        <span class="soft small">{zoneText(zone, history.toMs)}</span>
      </div>
      <div class="columns">
        {drawn.map((one) => (
          <HistoryChart key={one.title} drawn={one} history={history} zone={zone} />
        ))}
      </div>
    </>
  )
}

interface ChartProps {
  readonly drawn: Drawn
  readonly history: SelfHistory
  readonly zone: string
}

/** Rows further apart than this multiple of the step have a gap between them. */
const missing = 1.5

function HistoryChart({ drawn: { title, lines, divisor = 1 }, history, zone }: ChartProps) {
  const { seconds, values, stepMs, fromMs, toMs } = history
  const known = lines.filter(([, value]) => values[value].some((one) => one !== null))
  if (known.length === 0) return null
  const points = known.map(
    ([, value]) =>
      new Map(
        seconds.flatMap((second, place) => {
          const one = values[value][place]
          return one == null ? [] : [[second, one / divisor] as const]
        }),
      ),
  )
  const gaps = points.map((line) => gapsOver(secondsOf(line), (missing * stepMs) / 1000))
  return (
    <Panel title={title} {...(known.length > 1 && { tools: <Names names={known.map(([name]) => name)} /> })}>
      <div class="inside">
        <Chart
          title={title}
          lines={known.map(([name], color) => ({ name, color }))}
          data={lineData(points, gaps)}
          height={140}
          from={fromMs / 1000}
          to={toMs / 1000}
          zone={zone}
          values="from zero"
        />
      </div>
    </Panel>
  )
}

function Names({ names }: { readonly names: readonly string[] }) {
  const theme = useStore(shownTheme)
  return (
    <span class="legend soft">
      {names.map((name, color) => (
        <span key={name}>
          <i style={{ background: lineColor(color, theme) }} />
          {name}
        </span>
      ))}
    </span>
  )
}
