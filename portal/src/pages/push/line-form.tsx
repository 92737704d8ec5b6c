import type { LikelyPrecision } from '../../../../src/file-push/first-line-time.ts'
import { formatInstant } from '../../../../src/model/instant.ts'
import { type LinePrecision, linePrecisions, precisionNames } from '../../../../src/model/line-format.ts'
import { type Choice, SelectField } from '../../parts/inputs.tsx'
import { Panel } from '../../parts/layout.tsx'

interface Props {
  readonly precision: LinePrecision
  /** The likely unit of the times, if it differs. */
  readonly likely: LikelyPrecision | null
  /** Whether the push has begun, so that nothing can be changed any more. */
  readonly fixed: boolean
  onPrecision(precision: LinePrecision): void
}

const units: readonly Choice<LinePrecision>[] = linePrecisions.map((value) => ({
  value,
  text: `${precisionNames[value]} since 1970`,
}))

/** Chooses the unit of the times of line protocol. */
export function LineForm({ precision, likely, fixed, onPrecision }: Props) {
  return (
    <Panel title="How the file is written">
      <div class="inside">
        <fieldset class="grid-form plain-set" disabled={fixed}>
          <SelectField label="Times" value={precision} choices={units} onValue={onPrecision} />
        </fieldset>
        {likely !== null && !fixed && <Likely likely={likely} onPrecision={onPrecision} />}
      </div>
    </Panel>
  )
}

interface LikelyProps {
  readonly likely: LikelyPrecision
  onPrecision(precision: LinePrecision): void
}

function Likely({ likely: { time, given, givenMs, likely, likelyMs }, onPrecision }: LikelyProps) {
  const suggestion = precisionNames[likely]
  return (
    <div class="note warn" role="status">
      <p>
        The first time, {time}, is read as {precisionNames[given]}: {formatInstant(givenMs)}. As {suggestion} it is{' '}
        {formatInstant(likelyMs)}.
      </p>
      <div class="actions">
        <button type="button" class="button slim" onClick={() => onPrecision(likely)}>
          Read times as {suggestion}
        </button>
      </div>
    </div>
  )
}
