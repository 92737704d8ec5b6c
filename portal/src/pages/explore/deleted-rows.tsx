import { useState } from 'preact/hooks'
import type { DeletionAnswer, EntityDescription, NewDeletion } from '../../../../src/client/answers.ts'
import { AskFirst } from '../../parts/dialog.tsx'
import { plural } from '../../parts/formats.ts'
import { Check, TextField } from '../../parts/inputs.tsx'
import { Panel } from '../../parts/layout.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { DeedsHead, TableFrame } from '../../parts/table-frame.tsx'
import { Time } from '../../parts/time.tsx'
import { clockText } from '../../parts/zoned-time.ts'
import { clientOf, mayDo } from '../../session/session.ts'
import { useQuery } from '../../shell/asking.ts'
import { notify } from '../../shell/toasts.tsx'
import type { Shown } from './use-rows.ts'
import { tagsShown } from './view.ts'

export const mayCorrect = (): boolean => mayDo('admin') || (mayDo('correct') && mayDo('consume'))

const shownDeletions = 20

interface DrawnProps {
  readonly shown: Shown
  readonly entity: EntityDescription
  onDeleted(): void
}

/** Deletes rows of the tags and the time range that were drawn when the button was pressed; a live chart moves on behind the dialog. */
export function DeleteDrawn({ shown, ...props }: DrawnProps) {
  const [chosen, choose] = useState<Shown | null>(null)
  return (
    <>
      <button type="button" class="button slim" onClick={() => choose(shown)}>
        Delete rows…
      </button>
      {chosen !== null && <DeleteRows {...props} shown={chosen} onClose={() => choose(null)} />}
    </>
  )
}

function DeleteRows({ shown, entity, onClose, onDeleted }: DrawnProps & { onClose(): void }) {
  const [keepsRows, keepRows] = useState(false)
  const [reason, setReason] = useState('')
  const { view, span } = shown
  const selected: Omit<NewDeletion, 'reason'> = {
    ids: [...view.tags],
    id_name_field: tagsShown(view, entity)[0]!,
    start_date: new Date(span.fromMs).toISOString(),
    end_date: new Date(span.toMs).toISOString(),
    ...(keepsRows ? { metrics: [...view.fields] } : {}),
  }
  const dry = useQuery((client) => client.tryDeletion(entity.entity, { ...selected, reason: 'a dry run' }), [selected])
  const clock = (ms: number): string => clockText(ms, view.zone)
  return (
    <AskFirst
      title={`Delete rows of ${entity.entity}`}
      deed="Delete them"
      danger
      ready={reason.trim() !== '' && (dry.value?.rows ?? 0) > 0}
      onClose={onClose}
      onDeed={async (signal) => {
        const { rows } = await clientOf(signal).deleteRows(entity.entity, { ...selected, reason: reason.trim() })
        notify(`${plural(rows, 'row')} of ${entity.entity} ${rows === 1 ? 'is' : 'are'} deleted.`)
        onDeleted()
      }}
    >
      <p>
        Of {view.tags.join(', ')}, from {clock(span.fromMs)} to {clock(span.toMs)} ({view.zone}), both included: the
        range that is drawn. Drag over the chart first to choose another range.
      </p>
      <Check
        label={`Keep the rows: only ${view.fields.join(', ')} reads as null`}
        checked={keepsRows}
        onChecked={keepRows}
      />
      {dry.error === null && (
        <p role="status">{dry.value === null ? 'Counting…' : `It hides ${plural(dry.value.rows, 'row')}.`}</p>
      )}
      <ProblemNote error={dry.error} />
      <TextField label="Reason" value={reason} onValue={setReason} placeholder="wrong unit" required />
      <p class="soft small">Rows pushed later are not affected. The deletion can be taken back below the chart.</p>
    </AskFirst>
  )
}

interface ListProps {
  readonly entity: string
  /** Changes after rows are deleted. */
  readonly round: number
  onTakenBack(): void
}

/** The newest deletions of an entity. Renders nothing if there are none. */
export function DeletedRows({ entity, round, onTakenBack }: ListProps) {
  const list = useQuery((client) => client.deletions(entity, { limit: shownDeletions }), [entity, round])
  const [taking, take] = useState<DeletionAnswer | null>(null)
  if (list.error === null && (list.value === null || list.value.Items.length === 0)) return null
  return (
    <Panel title={`Deleted rows of ${entity}`}>
      <ProblemNote error={list.error} />
      {list.value !== null && <DeletionTable deletions={list.value.Items} onTake={take} />}
      {list.value !== null && list.value.NextToken !== null && (
        <p class="inside soft small">The newest {shownDeletions} are shown.</p>
      )}
      {taking !== null && (
        <AskFirst
          title={`Take deletion ${taking.id} back`}
          deed="Take it back"
          onClose={() => take(null)}
          onDeed={async (signal) => {
            await clientOf(signal).takeBackDeletion(entity, taking.id)
            notify(`Deletion ${taking.id} is taken back.`)
            onTakenBack()
          }}
        >
          <p>
            Its {plural(taking.rows, 'row')} {taking.rows === 1 ? 'is' : 'are'} seen again, unless another deletion
            selects {taking.rows === 1 ? 'it' : 'them'} too.
          </p>
        </AskFirst>
      )}
    </Panel>
  )
}

interface TableProps {
  readonly deletions: readonly DeletionAnswer[]
  onTake(deletion: DeletionAnswer): void
}

function DeletionTable({ deletions, onTake }: TableProps) {
  return (
    <TableFrame name="Deletions">
      <thead>
        <tr>
          <th class="right">Rows</th>
          <th>Deleted</th>
          <th>By</th>
          <th>Selected</th>
          <th>Reason</th>
          <DeedsHead />
        </tr>
      </thead>
      <tbody>
        {deletions.map((deletion) => (
          <tr key={deletion.id}>
            <td class="right">{deletion.rows}</td>
            <td class="tight">
              <Time iso={deletion.created} />
            </td>
            <td class="who">{deletion.subscriber}</td>
            <td class="wide-cell">{selectionText(deletion.selection)}</td>
            <td class="wide-cell">{deletion.reason}</td>
            <td class="tight">
              {deletion.erased === null ? (
                <button type="button" class="button slim" onClick={() => onTake(deletion)}>
                  Take back…
                </button>
              ) : (
                'erased'
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </TableFrame>
  )
}

function selectionText({ ids, prefixes, start_date, end_date, metrics, where }: DeletionAnswer['selection']): string {
  const parts = [
    ids === null ? [] : [ids.join(', ')],
    prefixes === null ? [] : prefixes.map((prefix) => `${prefix}…`),
    start_date === null ? [] : [`from ${start_date}`],
    end_date === null ? [] : [`to ${end_date}`],
    where === null ? [] : [`where ${where.metric} ${where.op} ${where.value}`],
    metrics === null ? [] : [`only ${metrics.join(', ')}`],
  ]
  return parts.flat().join(', ')
}
