import { useState } from 'preact/hooks'
import type { EntityDescription } from '../../../../src/client/answers.ts'
import { type CsvForm, csvLines, wideTable } from '../../parts/csv-lines.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { decimalMark } from '../../parts/formats.ts'
import { SelectField } from '../../parts/inputs.tsx'
import { keptStore } from '../../parts/kept-store.ts'
import { saveFile } from '../../parts/save-file.ts'
import { useStore } from '../../shell/store.ts'
import { timeOf } from './question.ts'
import type { Shown } from './use-rows.ts'
import { tagsShown } from './view.ts'

interface Choice {
  readonly form: 'long' | 'wide'
  readonly times: 'utc' | 'clock'
  readonly decimal: CsvForm['decimal']
}

/** The last choice in this browser. */
const choice = keptStore<Choice>('tidemark.csv', (kept) => {
  const of = (name: string): unknown => Reflect.get(Object(kept), name)
  return {
    form: of('form') === 'wide' ? 'wide' : 'long',
    times: of('times') === 'clock' ? 'clock' : 'utc',
    decimal: of('decimal') === '.' || of('decimal') === ',' ? (of('decimal') as '.') : decimalMark,
  }
})

/** Tells Excel that the text is UTF-8. */
const byteOrderMark = '\uFEFF'

interface Props {
  readonly shown: Shown
  readonly entity: EntityDescription
  /** The file name without its extension. */
  readonly name: string
}

/** Saves the drawn data as CSV in a chosen form: for a spreadsheet, or for a program. */
export function Download({ shown, entity, name }: Props) {
  const [open, show] = useState(false)
  const { form, times, decimal } = useStore(choice)
  const change = (part: Partial<Choice>): void => choice.set({ ...choice.get(), ...part })
  const { table, view } = shown
  const save = (): void => {
    const time = timeOf(view.how, entity)
    const whole = form === 'wide' ? wideTable(table, time, tagsShown(view, entity)) : table
    const clock = times === 'utc' ? null : { columns: [time, entity.time_field], zone: view.zone }
    saveFile(`${name}.csv`, new Blob([byteOrderMark, ...csvLines(whole, { decimal, clock })]))
    show(false)
  }
  return (
    <>
      <button type="button" class="button slim" disabled={table.rows.length === 0} onClick={() => show(true)}>
        Download…
      </button>
      {open && (
        <Dialog title="Download as CSV" onClose={() => show(false)} onSend={save}>
          <SelectField
            label="Rows"
            value={form}
            choices={[
              { value: 'long', text: 'long: a row for each item' },
              { value: 'wide', text: 'wide: a row for each time, a column for each line' },
            ]}
            onValue={(value) => change({ form: value })}
          />
          <SelectField
            label="Times"
            value={times}
            choices={[
              { value: 'utc', text: 'UTC, ISO 8601' },
              { value: 'clock', text: `the clock of ${view.zone}` },
            ]}
            onValue={(value) => change({ times: value })}
          />
          <SelectField
            label="Numbers"
            value={decimal}
            choices={[
              { value: '.', text: '1234.5, cells separated by commas' },
              { value: ',', text: '1234,5, cells separated by semicolons' },
            ]}
            onValue={(value) => change({ decimal: value })}
          />
          <p class="soft small">A string that a spreadsheet would read as a formula gets an apostrophe.</p>
          <div class="actions end">
            <button type="button" class="button" onClick={() => show(false)}>
              Cancel
            </button>
            <button type="submit" class="button first">
              Save
            </button>
          </div>
        </Dialog>
      )}
    </>
  )
}
