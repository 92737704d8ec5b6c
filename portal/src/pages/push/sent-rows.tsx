import { countText, plural, secondsText } from '../../parts/formats.ts'
import { Figure } from '../../parts/layout.tsx'
import { linkTo } from '../../shell/link.ts'
import { filterLink } from '../ingests/filter.ts'
import type { SentFile } from './send-file.ts'

interface Props {
  readonly alias: string
  readonly sent: SentFile
  readonly accepted: number
  readonly seconds: number
  /** Whether the file was pushed to its end. */
  readonly whole: boolean
}

/** The combined receipt of all batches. */
export function SentRows({ alias, sent, accepted, seconds, whole }: Props) {
  const { stored, rejected, pending, replaced, failures, noun, upTo } = sent
  return (
    <>
      {failures.length > 0 && (
        <div class="note bad" role="alert">
          {failures.map((failure) => (
            <p key={failure} dir="auto">
              {failure}
            </p>
          ))}
          <p>
            The {noun}s before {noun} {countText(upTo + 1)} are on disk. Correct the fault and continue from there:
            nothing is stored twice.
          </p>
        </div>
      )}
      {failures.length === 0 && !whole && (
        <div class="note warn" role="status">
          <p>Stopped. The first {plural(upTo, noun)} are on disk; you can continue from there.</p>
        </div>
      )}
      {whole && rejected === 0 && pending === 0 && (
        <div class="note good" role="status">
          <p>All rows are stored.</p>
        </div>
      )}
      <dl class="figures">
        <Figure name="On disk" value={countText(accepted)} aside={secondsText(seconds)} />
        <Figure name="Stored" value={countText(stored)} />
        <Figure name="Rejected" value={countText(rejected)} bad={rejected > 0} />
        {pending > 0 && <Figure name="Not validated yet" value={countText(pending)} />}
      </dl>
      {replaced > 0 && <p>{plural(replaced, 'row')} replaced an earlier one of the same push: same time and tags.</p>}
      {rejected > 0 && <Faults alias={alias} sent={sent} />}
    </>
  )
}

function Faults({ alias, sent }: { readonly alias: string; readonly sent: SentFile }) {
  const { rejected, errors, kinds, noun, batches } = sent
  const place = noun === 'line' ? 'Line' : 'Row'
  return (
    <div class="stack tight-stack">
      <p>
        {kinds.slice(0, 5).map(({ code, field, rows }) => (
          <span class="label-tag" key={`${code} ${field}`} dir="auto">
            {plural(rows, 'row')}: {code.replaceAll('_', ' ')}
            {field === null ? '' : ` in ${field}`}
          </span>
        ))}
      </p>
      <ul class="small">
        {errors.map(({ row, message }, index) => (
          <li key={index} dir="auto">
            {place} {countText(row)}: {message}
          </li>
        ))}
        {rejected > errors.length && <li class="soft">and {countText(rejected - errors.length)} more</li>}
      </ul>
      <div class="actions">
        <a class="button" href={linkTo(['ingests', alias])}>
          See and mend the rejected rows
        </a>
        {batches.map(({ batch, rejected: count }) => (
          <a class="button slim" key={batch} href={filterLink(alias, { batch })}>
            {plural(count, 'row')} of one push
          </a>
        ))}
      </div>
    </div>
  )
}
