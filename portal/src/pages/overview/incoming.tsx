import { Chart, lineColor } from '../../parts/chart.tsx'
import { Panel } from '../../parts/layout.tsx'
import { useStore } from '../../shell/store.ts'
import { shownTheme } from '../../shell/theme.ts'
import { keptMs, ratesOf } from './rates.ts'
import { rateSamples } from './watch-rates.ts'

const parts = [
  { name: 'Rows a second', color: 0 },
  { name: 'Rejected rows a second', color: 1 },
] as const

/** What comes in, drawn since this tab first looked, a quarter of an hour at most. */
export function Incoming() {
  const samples = useStore(rateSamples)
  const theme = useStore(shownTheme)
  const [seconds, rows, rejected] = ratesOf(samples)
  const to = (samples.at(-1)?.ms ?? Date.now()) / 1000
  const from = Math.min(to - 60, Math.max(to - keptMs / 1000, (samples[0]?.ms ?? 0) / 1000))
  const values = [rows, rejected]
  return (
    <div class="columns">
      {parts.map(({ name, color }, place) => (
        <Panel
          key={name}
          title={name}
          tools={
            <span class="legend soft">
              <span>
                <i style={{ background: lineColor(color, theme) }} />
                since this tab looks, UTC
              </span>
            </span>
          }
        >
          {seconds.length < 2 ? (
            <p class="inside soft">Drawn from now on, while a page of this tab shows it.</p>
          ) : (
            <div class="inside">
              <Chart
                title={`${name}, since this tab looks`}
                lines={[{ name, color }]}
                data={[seconds, values[place]!]}
                height={170}
                from={from}
                to={to}
              />
            </div>
          )}
        </Panel>
      ))}
    </div>
  )
}
