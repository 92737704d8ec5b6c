import { useMemo, useState } from 'preact/hooks'
import { BigTable } from '../../parts/big-table.tsx'
import { Chart, lineColor } from '../../parts/chart.tsx'
import { plural } from '../../parts/formats.ts'
import { Segments } from '../../parts/inputs.tsx'
import { Panel } from '../../parts/layout.tsx'
import { SaveAnswer } from '../../parts/save-answer.tsx'
import { fileNameOf, saveFile } from '../../parts/save-file.ts'
import { clientOf } from '../../session/session.ts'
import { useStore } from '../../shell/store.ts'
import { shownTheme } from '../../shell/theme.ts'
import { type ChartData, chartOf } from './result-chart.ts'
import type { Result } from './run-query.ts'

interface Props {
  readonly result: Result
  readonly mode: 'sql' | 'native'
}

type View = 'table' | 'chart' | 'answer'

export function ResultPanel({ result, mode }: Props) {
  const { table } = result
  const chart = useMemo(() => (table === null ? null : chartOf(table)), [table])
  const [chosen, choose] = useState<View>('table')
  const views = [
    ...(table === null ? [] : [{ value: 'table' as const, text: 'Table' }]),
    ...(chart === null ? [] : [{ value: 'chart' as const, text: 'Chart' }]),
    ...(result.text === null ? [] : [{ value: 'answer' as const, text: 'Answer' }]),
  ]
  const view = views.some(({ value }) => value === chosen) ? chosen : views[0]?.value
  const summary = `${table === null ? '' : `${plural(table.rows.length, 'row')}, `}${Math.round(result.ms)} ms`
  return (
    <Panel
      title={
        <>
          Result <span class="soft small">{summary}</span>
        </>
      }
      tools={
        <>
          {views.length > 1 && (
            <Segments label="Show as" value={view!} choices={views} onValue={(next: View) => choose(next)} />
          )}
          <SaveResult result={result} mode={mode} />
        </>
      }
    >
      {view === 'table' && <ResultTable table={table!} />}
      {view === 'chart' && <ResultChart chart={chart!} />}
      {view === 'answer' && <Answer text={result.text!} />}
    </Panel>
  )
}

function ResultTable({ table }: { readonly table: NonNullable<Result['table']> }) {
  if (table.rows.length === 0) return <p class="inside soft">The answer has no rows.</p>
  return <BigTable name="Result" table={table} />
}

function ResultChart({ chart }: { readonly chart: ChartData }) {
  const theme = useStore(shownTheme)
  return (
    <div class="inside">
      <Chart title="The result over time" lines={chart.lines} data={chart.data} height={320} zone="UTC" />
      <p class="legend">
        {chart.lines.map(({ name }, place) => (
          <span key={name} dir="auto">
            <i style={{ background: lineColor(place, theme) }} />
            {name}
          </span>
        ))}
        <span class="soft">Times are in UTC.</span>
      </p>
    </div>
  )
}

const shownCharacters = 200_000

function Answer({ text }: { readonly text: string }) {
  return (
    <div class="inside">
      <pre class="code">{text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text}</pre>
    </div>
  )
}

/** A native response is saved as received. */
function SaveResult({ result, mode }: Props) {
  const { table, query } = result
  const name = fileNameOf(result.name)
  if (mode === 'sql' && table !== null) {
    return <SaveAnswer name={name} table={table} arrow={(signal) => clientOf(signal).sqlBytes(query, 'arrow')} />
  }
  const save = (): void => saveFile(`${name}.json`, new Blob([result.text ?? ''], { type: 'application/json' }))
  return (
    <button type="button" class="button slim" onClick={save}>
      Save
    </button>
  )
}
