import { useState } from 'preact/hooks'
import { type DecimalMark, delimiterName, usualDelimiters } from '../../../../src/file-push/csv-writing.ts'
import type { CsvLines } from '../../../../src/lib/csv-parser.ts'
import { epochUnits } from '../../../../src/model/epoch.ts'
import { type Choice, SelectField, TextField } from '../../parts/inputs.tsx'
import { Panel } from '../../parts/layout.tsx'
import type { Written } from './columns.ts'

interface Props {
  readonly written: Written
  /** Whether the push has begun, so that nothing can be changed any more. */
  readonly fixed: boolean
  onChange(written: Written): void
}

const delimiterTexts = new Map([
  [',', 'comma ,'],
  [';', 'semicolon ;'],
  ['\t', 'tab'],
  ['|', 'bar |'],
])
const decimals: readonly Choice<DecimalMark>[] = [
  { value: 'point', text: 'point: 1.5' },
  { value: 'comma', text: 'comma: 1,5' },
]
const patterns = ['dd/MM/yyyy HH:mm', 'dd/MM/yyyy HH:mm:ss', 'dd.MM.yyyy HH:mm', 'M/d/yyyy h:mm a', 'yyyyMMddHHmm']
const other = 'other'
const timeFormats: readonly Choice<string>[] = [
  { value: '', text: 'ISO 8601' },
  ...epochUnits.map((unit) => ({ value: unit, text: `${unit} since 1970` })),
  ...patterns.map((pattern) => ({ value: pattern, text: pattern })),
  { value: other, text: 'another pattern' },
]
const ambiguities: readonly Choice<'' | 'earlier' | 'later'>[] = [
  { value: '', text: 'an error' },
  { value: 'earlier', text: 'the earlier moment' },
  { value: 'later', text: 'the later moment' },
]

const zoneNames = (): readonly string[] => Intl.supportedValuesOf('timeZone')

/** Chooses the delimiter of a CSV file, and the format of its numbers and times. */
export function WrittenForm({ written, fixed, onChange }: Props) {
  const change = (part: Partial<Written>): void => onChange({ ...written, ...part })
  const delimiters = usualDelimiters.map((value) => ({ value: String(value), text: delimiterTexts.get(value)! }))
  const known = delimiters.some(({ value }) => value === written.delimiter)
  const asked = known ? [] : [{ value: written.delimiter, text: delimiterName(written.delimiter) }]
  return (
    <Panel title="How the file is written">
      <div class="inside">
        <fieldset class="grid-form plain-set" disabled={fixed}>
          <SelectField
            label="Delimiter"
            value={written.delimiter}
            choices={[...delimiters, ...asked]}
            onValue={(delimiter) => change({ delimiter })}
          />
          <LinesChoice lines={written.lines} onLines={(lines) => change({ lines })} />
          <SelectField
            label="Decimal mark"
            value={written.decimal}
            choices={decimals}
            onValue={(decimal) => change({ decimal })}
          />
          <TimesChoice format={written.timeFormat} onFormat={(timeFormat) => change({ timeFormat })} />
          <TextField
            label="Time zone"
            value={written.timeZone}
            onValue={(timeZone) => change({ timeZone })}
            placeholder="UTC"
            hint="of times that name none"
            list={zoneNames()}
          />
          <SelectField
            label="Ambiguous times"
            value={written.ambiguous ?? ''}
            choices={ambiguities}
            onValue={(chosen) => change({ ambiguous: chosen === '' ? null : chosen })}
          />
        </fieldset>
      </div>
    </Panel>
  )
}

interface LinesProps {
  readonly lines: CsvLines
  onLines(lines: CsvLines): void
}

/** Applies changes on request, not with each key press, because the file has to be read again. */
function LinesChoice({ lines, onLines }: LinesProps) {
  const [typed, setTyped] = useState({
    skipLines: String(lines.skipLines || ''),
    headerLine: String(lines.headerLine ?? ''),
    comment: lines.comment,
  })
  const change = (part: Partial<typeof typed>): void => setTyped({ ...typed, ...part })
  const countOf = (text: string): number => (/^\d{1,6}$/.test(text.trim()) ? Number(text) : 0)
  const { comment } = typed
  const [skipLines, headerLine] = [countOf(typed.skipLines), countOf(typed.headerLine) || null]
  const isOther = skipLines !== lines.skipLines || headerLine !== lines.headerLine || comment !== lines.comment
  return (
    <>
      <TextField
        label="Lines to skip"
        value={typed.skipLines}
        onValue={(text) => change({ skipLines: text })}
        placeholder="0"
        hint="at the beginning: they are not rows"
      />
      <TextField
        label="Header on line"
        value={typed.headerLine}
        onValue={(text) => change({ headerLine: text })}
        hint="unless it is the first that is not skipped"
      />
      <TextField
        label="Comments begin with"
        value={comment}
        onValue={(text) => change({ comment: text })}
        hint="as #: such lines are left out"
      />
      {isOther && (
        <button type="button" class="button slim" onClick={() => onLines({ skipLines, headerLine, comment })}>
          Read the file so
        </button>
      )}
    </>
  )
}

function TimesChoice({ format, onFormat }: { readonly format: string; onFormat(format: string): void }) {
  const listed = timeFormats.some(({ value }) => value === format)
  const [own, setOwn] = useState(!listed)
  const choose = (chosen: string): void => {
    setOwn(chosen === other)
    onFormat(chosen === other ? 'dd/MM/yyyy HH:mm' : chosen)
  }
  return (
    <>
      <SelectField label="Times" value={own ? other : format} choices={timeFormats} onValue={choose} />
      {own && (
        <TextField
          label="Pattern of times"
          value={format}
          onValue={onFormat}
          hint="y year, M month, d day, H hour, m minute, s second, S fraction, h and a for AM or PM, X offset"
          mono
        />
      )}
    </>
  )
}
