import type { ComponentChildren } from 'preact'
import { useMemo, useRef, useState } from 'preact/hooks'
import type { EntityDescription, MetadataDescription } from '../../../../src/client/answers.ts'
import type { Editor, Selected } from '../../parts/editor.ts'
import { plural } from '../../parts/formats.ts'
import { Segments } from '../../parts/inputs.tsx'
import { PageHead, Panel } from '../../parts/layout.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { type Fault, QueryEditor } from '../../parts/query-editor.tsx'
import { type ActionState, useAction, useQuery } from '../../shell/asking.ts'
import { linkTo } from '../../shell/link.ts'
import { goTo, usePlace } from '../../shell/route.ts'
import { useStore } from '../../shell/store.ts'
import { draftOf, keepDraft } from './draft.ts'
import { ResultPanel } from './result.tsx'
import { faultOf, type Result, runNative, runSql } from './run-query.ts'
import { SavedQueries } from './saved.tsx'
import { keepRun, type SavedQuery } from './saved-queries.ts'
import { quoted, TableTree } from './table-tree.tsx'
import { TabBar, tabs } from './tabs.tsx'

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

/** The editor for SQL in Druid's dialect, and for Druid's native queries. */
export function Query() {
  const { query } = usePlace()
  const mode: Mode = query.get('mode') === 'native' ? 'native' : 'sql'
  const { open, shown } = useStore(tabs)
  const known = useTables()
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
      <TabBar open={open} shown={shown} />
      {open.map((tab) => (
        // Hidden tabs keep their results.
        <div key={`${mode} ${tab}`} class="stack" hidden={tab !== shown}>
          <QueryPage mode={mode} tab={tab} known={known} given={tab === shown ? query.get('text') : null} />
        </div>
      ))}
    </>
  )
}

interface Known {
  readonly entities: readonly EntityDescription[]
  readonly metadata: readonly MetadataDescription[]
}

function useTables(): Known | undefined {
  const entities = useQuery((client) => client.entities(), ['entities'])
  const metadata = useQuery((client) => client.metadata(), ['metadata'])
  return useMemo(
    () => (entities.value === null ? undefined : { entities: entities.value, metadata: metadata.value ?? [] }),
    [entities.value, metadata.value],
  )
}

/** Names to complete: tables and their columns. */
const namesOf = ({ entities, metadata }: Known): Readonly<Record<string, string[]>> =>
  Object.fromEntries([
    ...metadata.map(({ entity, fields }) => [entity, fields.map(({ name }) => name)]),
    ...entities.map(({ entity, fields, time_field }) => [
      entity,
      ['__time', ...fields.map(({ name }) => name).filter((name) => name !== time_field)],
    ]),
  ])

interface PageProps {
  readonly mode: Mode
  readonly tab: number
  readonly known: Known | undefined
  readonly given: string | null
}

function QueryPage({ mode, tab, known, given }: PageProps) {
  const draft = tab === 1 ? mode : `${mode}.${tab}`
  const [written, write] = useState(() => ({
    text: draftOf(draft, given) ?? (mode === 'native' ? nativeStart : ''),
  }))
  // The editor may be ahead of the rendered page.
  const newest = useRef(written.text)
  const [text, showText] = useState(written.text)
  const note = (next: string): void => {
    newest.current = next
    showText(next)
    keepDraft(draft, { given, text: next })
  }
  const choose = (next: string): void => {
    note(next)
    write({ text: next })
  }
  const [result, setResult] = useState<Result | null>(null)
  const [rows, setRows] = useState(0)
  const running = useAction()
  const tables = useMemo(() => (known === undefined ? undefined : namesOf(known)), [known])
  const editor = useRef<Pick<Editor, 'selected' | 'insert'> | null>(null)
  const ran = useRef<Selected | null>(null)
  const run = async (): Promise<void> => {
    ran.current = editor.current?.selected() ?? null
    const query = ran.current?.text ?? newest.current
    if (query.trim() === '') return
    setRows(0)
    const good = await running.run(async (signal) => {
      try {
        setResult(mode === 'sql' ? await runSql(query, signal, setRows) : await runNative(query, signal))
      } catch (error) {
        // The earlier result does not belong to this query.
        setResult(null)
        throw error
      }
    })
    if (good) keepRun({ name: '', text: query, mode })
  }
  const fault = useMemo(() => placedIn(ran.current, faultOf(running.error)), [running.error])
  const panel = useMemo(() => result !== null && <ResultPanel result={result} mode={mode} />, [result, mode])
  const first = Object.keys(tables ?? {})[0]
  return (
    <>
      <Panel
        title={mode === 'sql' ? 'Druid’s SQL; the tables are the entities' : 'A native Druid query'}
        tools={<SavedQueries mode={mode} text={text} onChoose={choose} />}
      >
        <div class="inside">
          <QueryEditor
            label={mode === 'sql' ? 'SQL' : 'Native query'}
            language={mode === 'sql' ? 'sql' : 'json'}
            given={written}
            {...(tables && { tables })}
            fault={fault}
            control={editor}
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
          {mode === 'sql' && known !== undefined && (
            <TableTree {...known} onInsert={(name) => editor.current?.insert(name)} />
          )}
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
  readonly running: ActionState
  readonly empty: boolean
  /** The number of rows received so far. */
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
          'Ctrl+Enter runs the query or the selection'
        )}
      </span>
      {children}
    </div>
  )
}

/** Translates the position of a fault in the selected text to the whole text. */
function placedIn(selected: Selected | null, fault: Fault | null): Fault | null {
  if (selected === null || fault === null) return fault
  const column = fault.line === 1 ? fault.column + selected.column - 1 : fault.column
  return { ...fault, line: fault.line + selected.line - 1, column }
}

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
