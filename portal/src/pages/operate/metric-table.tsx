import { useState } from 'preact/hooks'
import { valueText } from '../../parts/formats.ts'
import { TextField } from '../../parts/inputs.tsx'
import { Panel } from '../../parts/layout.tsx'
import type { Metrics } from '../../parts/metrics-text.ts'
import { TableFrame } from '../../parts/table-frame.tsx'

const shownMetrics = 200

interface Props {
  readonly metrics: Metrics
  readonly drawn: readonly string[]
  onDraw(name: string): void
}

/** All metrics of the service, searchable by a part of the name. */
export function MetricTable({ metrics, drawn, onDraw }: Props) {
  const [part, setPart] = useState('')
  const found = [...metrics]
    .filter(([name]) => name.includes(part.trim()) && !name.endsWith('_bucket'))
    .flatMap(([name, samples]) => samples.map((sample) => ({ name, ...sample })))
  return (
    <Panel title="Metrics">
      <div class="inside grid-form">
        <TextField label="Find by name" value={part} onValue={setPart} type="search" placeholder="journal" mono />
      </div>
      <TableFrame name="Metrics">
        <thead>
          <tr>
            <th>Metric</th>
            <th>Of</th>
            <th class="right">Now</th>
            <th>
              <span class="unseen">What to do</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {found.slice(0, shownMetrics).map(({ name, labels, value }) => (
            <tr key={`${name} ${JSON.stringify(labels)}`}>
              <td class="mono tight">{name}</td>
              <td class="mono soft wide-cell">
                {Object.entries(labels)
                  .map(([label, word]) => `${label}=${word}`)
                  .join(' ')}
              </td>
              <td class="right">{valueText(value)}</td>
              <td class="tight">
                <button
                  type="button"
                  class="button slim"
                  disabled={drawn.includes(name)}
                  aria-label={`Draw ${name}`}
                  onClick={() => onDraw(name)}
                >
                  Draw
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </TableFrame>
      {found.length > shownMetrics && (
        <p class="inside soft small">The first {shownMetrics} are shown. Type a part of a name to see others.</p>
      )}
    </Panel>
  )
}
