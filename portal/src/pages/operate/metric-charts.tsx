import { useEffect } from 'preact/hooks'
import { Chart } from '../../parts/chart.tsx'
import { Panel } from '../../parts/layout.tsx'
import type { Metrics } from '../../parts/metrics-text.ts'
import { shownZone } from '../../parts/shown-zone.ts'
import { zoneText } from '../../parts/zoned-time.ts'
import { useStore } from '../../shell/store.ts'
import { addReading, drawnMetric, isCounter, metricReadings } from './metric-history.ts'

/** The metrics an operator needs first, if the service records no history of them. */
const usual: ReadonlyMap<string, string> = new Map([
  ['tidemark_http_requests_total', 'Requests a second'],
  ['process_cpu_seconds_total', 'Processors in use'],
  ['process_resident_memory_bytes', 'Memory of the service, MB'],
  ['tidemark_journal_backlog_bytes', 'Pushed and not validated yet, MB'],
])

interface Props {
  readonly metrics: Metrics
  /** Metrics chosen in addition to the usual ones. */
  readonly chosen: readonly string[]
  /** Whether the service's own history is already shown. */
  readonly isKept: boolean
  onLeave(name: string): void
}

/** Metrics over the time that this tab has polled them. */
export function MetricCharts({ metrics, chosen, isKept, onLeave }: Props) {
  useEffect(() => metricReadings.set(addReading(metricReadings.get(), metrics, Date.now())), [metrics])
  const names = isKept ? [] : [...usual.keys()].filter((name) => metrics.has(name) && !chosen.includes(name))
  const zone = useStore(shownZone)
  return (
    <>
      {!isKept && <span class="soft small">{zoneText(zone, Date.now())}</span>}
      <div class="columns">
        {[...names, ...chosen].map((name) => (
          <MetricChart key={name} name={name} zone={zone} {...(chosen.includes(name) && { onLeave })} />
        ))}
      </div>
    </>
  )
}

interface ChartProps {
  readonly name: string
  readonly zone: string
  onLeave?(name: string): void
}

const megabyte = 1e6

function MetricChart({ name, zone, onLeave }: ChartProps) {
  const [seconds, values] = drawnMetric(useStore(metricReadings), name)
  const size = name.endsWith('_bytes')
  const title = usual.get(name) ?? `${name}${isCounter(name) ? ', a second' : size ? ', MB' : ''}`
  const data = size ? values.map((value) => value && value / megabyte) : values
  const to = seconds.at(-1) ?? 0
  return (
    <Panel
      title={<span class="metric-name">{title}</span>}
      tools={
        onLeave !== undefined && (
          <button type="button" class="button slim" onClick={() => onLeave(name)} aria-label={`Do not draw ${name}`}>
            Do not draw
          </button>
        )
      }
    >
      {seconds.length < 2 ? (
        <p class="inside soft">Drawn from now on, while this page is open.</p>
      ) : (
        <div class="inside">
          <Chart
            title={`${title}, recorded while this page was open`}
            lines={[{ name: title, color: 0 }]}
            data={[seconds, data]}
            height={140}
            from={Math.min(to - 60, seconds[0]!)}
            to={to}
            zone={zone}
          />
        </div>
      )}
    </Panel>
  )
}
