import type { ComponentChildren } from 'preact'
import { useMemo, useRef, useState } from 'preact/hooks'
import { plural } from '../../parts/formats.ts'
import { Segments } from '../../parts/inputs.tsx'
import { PageHead, Panel } from '../../parts/layout.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { QueryEditor } from '../../parts/query-editor.tsx'
import { type Doing, useAsk, useDeed } from '../../shell/asking.ts'
import { linkTo } from '../../shell/link.ts'
import { goTo, usePlace } from '../../shell/route.ts'
import { draftOf, keepDraft } from './draft.ts'
import { ResultPanel } from './result.tsx'
import { faultOf, type Result, runNative, runSql } from './run-query.ts'
import { SavedQueries } from './saved.tsx'
import { keepRun, type SavedQuery } from './saved-queries.ts'

type Mode = SavedQuery['mode']

const modes = [
  { value: 'sql', text: 'SQL' },
  { value: 'native', text: 'Native' },
] as const

const nativeStart = `{
  "queryType": "timeseries",
  "dataSource": "plant",
  "intervals": ["2026-01-01/2026-01-02"],
  "granularity": "hour",
  "aggregations": [{ "type": "count", "name": "rows" }]
}`

/** SQL in Druid's dialect, and Druid's native queries. */
export function Query() {
  const { query } = usePlace()
  const mode: Mode = query.get('mode') === 'native' ? 'native' : 'sql'
  return <QueryPage key={mode} mode={mode} given={query.get('text')} />
}

function useTables(): Readonly<Record<string, string[]>> | undefined {
  const entities = useAsk((client) => client.entities(), ['entities'])
  const metadata = useAsk((client) => client.metadata(), ['metadata'])
  return useMemo(() => {
    if (entities.value === null) return undefined
    return Object.fromEntries([
      ...(metadata.value ?? []).map(({ entity, fields }) => [entity, fields.map(({ name }) => name)]),
      ...entities.value.map(({ entity, fields, time_field }) => [
        entity,
        ['__time', ...fields.map(({ name }) => name).filter((name) => name !== time_field)],
      ]),
    ])
  }, [entities.value, metadata.value])
}

function QueryPage({ mode, given }: { readonly mode: Mode; readonly given: string | null }) {
  const [written, write] = useState(() => ({
    text: draftOf(mode, given) ?? (mode === 'native' ? nativeStart : ''),
  }))
  // The editor may be ahead of what the page has drawn.
  const newest = useRef(written.text)
  const [text, showText] = useState(written.text)
  const note = (next: string): void => {
    newest.current = next
    showText(next)
    keepDraft(mode, { given, text: next })
  }
  const choose = (next: string): void => {
    note(next)
    write({ text: next })
  }
  const [result, setResult] = useState<Result | null>(null)
  const [rows, setRows] = useState(0)
  const running = useDeed()
  const tables = useTables()
  const run = async (): Promise<void> => {
    const query = newest.current
    if (query.trim() === '') return
    setRows(0)
    const good = await running.run(async (signal) => {
      try {
        setResult(mode === 'sql' ? await runSql(query, signal, setRows) : await runNative(query, signal))
      } catch (error) {
        // What was asked before is no answer to this.
        setResult(null)
        throw error
      }
    })
    if (good) keepRun({ name: '', text: query, mode })
  }
  const fault = useMemo(() => faultOf(running.error), [running.error])
  const panel = useMemo(() => result !== null && <ResultPanel result={result} mode={mode} />, [result, mode])
  const first = Object.keys(tables ?? {})[0]
  return (
    <>
      <PageHead title="SQL and native queries">
        <Segments
          label="Language"
          value={mode}
          choices={modes}
          onValue={(next) => goTo(linkTo(['query'], { mode: next }))}
        />
      </PageHead>
      <Panel
        title={mode === 'sql' ? 'Druid’s SQL; the tables are the entities' : 'A native query of Druid’s'}
        tools={<SavedQueries mode={mode} text={text} onChoose={choose} />}
      >
        <div class="inside">
          <QueryEditor
            label={mode === 'sql' ? 'SQL' : 'Native query'}
            language={mode === 'sql' ? 'sql' : 'json'}
            given={written}
            {...(tables && { tables })}
            fault={fault}
            onText={note}
            onRun={() => void run()}
          />
          <RunActions running={running} empty={text.trim() === ''} rows={rows} onRun={() => void run()}>
            {text === '' && mode === 'sql' && first !== undefined && (
              <button
                type="button"
                class="button plain slim push-right"
                onClick={() => choose(exampleOf(first, tables![first]!))}
              >
                Begin with an example
              </button>
            )}
          </RunActions>
        </div>
      </Panel>
      {running.error != null && (
        <Panel title="Result">
          <ProblemNote error={running.error} />
        </Panel>
      )}
      <div class={running.busy ? 'stale' : undefined} aria-busy={running.busy}>
        {panel}
      </div>
    </>
  )
}

interface RunProps {
  readonly running: Doing
  readonly empty: boolean
  /** Of the answer, so far. */
  readonly rows: number
  onRun(): void
  readonly children: ComponentChildren
}

function RunActions({ running, empty, rows, onRun, children }: RunProps) {
  return (
    <div class="actions">
      <button type="button" class="button first" disabled={running.busy || empty} onClick={onRun}>
        Run
      </button>
      {running.busy && (
        <button type="button" class="button" onClick={running.stop}>
          Stop
        </button>
      )}
      <span class="soft small" role="status">
        {running.busy ? (
          <>
            <span class="spinner" /> {rows > 0 ? `${plural(rows, 'row')} so far` : 'running'}
          </>
        ) : (
          'Ctrl and Enter run it'
        )}
      </span>
      {children}
    </div>
  )
}

const quoted = (name: string): string => (/^[a-z_]\w*$/i.test(name) ? name : `"${name}"`)

function exampleOf(table: string, columns: readonly string[]): string {
  const tag = columns[1] ?? '__time'
  return [
    `SELECT TIME_FLOOR(__time, 'PT1H') AS hour, ${quoted(tag)}, COUNT(*) AS n`,
    `FROM ${quoted(table)}`,
    "WHERE __time >= CURRENT_TIMESTAMP - INTERVAL '1' DAY",
    'GROUP BY 1, 2',
    'ORDER BY 1, 2',
  ].join('\n')
}
