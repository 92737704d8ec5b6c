import { useState } from 'preact/hooks'
import { cellEncoder } from '../../../../src/file-push/cells.ts'
import type { Field } from '../../../../src/model/field.ts'
import { TextField } from '../../parts/inputs.tsx'
import { Panel } from '../../parts/layout.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { RowText } from '../../parts/row-text.tsx'
import { pusherOf, useKeyMissing } from '../../session/push-key.ts'
import { useAction } from '../../shell/asking.ts'
import { filterLink } from '../ingests/filter.ts'
import type { ShownIngest } from '../ingests/side.ts'
import { VerdictPill } from './preview.tsx'
import { Programs } from './programs-panel.tsx'
import { pushOneRow } from './push-one-row.ts'
import { validatedRow } from './use-preview.ts'

/** Converts typed values to JSON as cells of a CSV file; empty values are omitted. */
function typedRow(values: ReadonlyMap<string, string>, fields: readonly Field[]): string {
  const members = fields.flatMap(({ source, type }) => {
    const value = values.get(source) ?? ''
    return value === '' ? [] : [`${JSON.stringify(source)}:${cellEncoder(type)(value)}`]
  })
  return `{${members.join(',')}}`
}

interface Outcome {
  readonly text: string
  readonly batch: string
  /** Null if the row is stored. */
  readonly fault: string | null
}

const now = (): string => new Date().toISOString()

/** Pushes a typed row, which is validated locally while it is typed. */
export function OneRow({ ingest }: { readonly ingest: ShownIngest }) {
  const { alias, fields } = ingest
  const timeSource = fields.find(({ role }) => role === 'time')?.source
  const [values, setValues] = useState<ReadonlyMap<string, string>>(
    () => new Map(timeSource === undefined ? [] : [[timeSource, now()]]),
  )
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  const keyMissing = useKeyMissing()
  const doing = useAction()
  const text = typedRow(values, fields)
  const row = validatedRow(text, ingest)
  const [fault] = row.faults
  const send = (): Promise<boolean> =>
    doing.run(async (signal) => {
      setOutcome(null)
      setOutcome({ text, ...(await pushOneRow(pusherOf(signal), alias, text, signal)) })
    })
  return (
    <>
      <Panel title="The row">
        <form
          class="inside"
          onSubmit={(event) => {
            event.preventDefault()
            void send()
          }}
        >
          <div class="grid-form">
            {fields.map(({ source, type, role }) => (
              <TextField
                key={source}
                label={source}
                value={values.get(source) ?? ''}
                onValue={(value) => setValues(new Map(values).set(source, value))}
                hint={`${type}, ${role}`}
                mono
              />
            ))}
          </div>
          <div>
            <p class="small soft">As it will be validated:</p>
            <RowText text={text} field={fault?.field ?? null} />
            <p role="status">
              <VerdictPill row={row} /> {fault !== undefined && <span class="fault">{fault.message}</span>}
            </p>
          </div>
          <div class="actions">
            <button type="submit" class="button first" disabled={doing.busy || keyMissing || text === '{}'}>
              Push the row
            </button>
          </div>
          <ProblemNote error={doing.error} />
          {outcome !== null && <RowOutcome alias={alias} outcome={outcome} />}
        </form>
      </Panel>
      <Programs push={{ alias, rows: [text], fileName: null, columns: null }} />
    </>
  )
}

function RowOutcome({ alias, outcome: { batch, fault } }: { readonly alias: string; readonly outcome: Outcome }) {
  if (fault === null) {
    return (
      <div class="note good" role="status">
        <p>The row is stored.</p>
      </div>
    )
  }
  return (
    <div class="note bad" role="alert">
      <p dir="auto">The row was rejected: {fault}</p>
      <p>
        It is kept. <a href={filterLink(alias, { batch })}>See and mend it</a>
      </p>
    </div>
  )
}
