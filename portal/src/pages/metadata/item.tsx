import { useState } from 'preact/hooks'
import type { MetadataDescription, MetadataItem } from '../../../../src/client/answers.ts'
import { textWithLongs } from '../../../../src/lib/json-with-longs.ts'
import { cellText } from '../../parts/big-table.tsx'
import { AskFirst, Dialog } from '../../parts/dialog.tsx'
import { TextArea } from '../../parts/inputs.tsx'
import { clientOf, mayDo } from '../../session/session.ts'
import { notify } from '../../shell/toasts.tsx'
import { pushAgain } from '../ingests/push-again.ts'
import { sideOf } from '../ingests/side.ts'
import { ItemTags } from './item-tags.tsx'

interface Props {
  readonly table: MetadataDescription
  /** Null for a new item. */
  readonly item: MetadataItem | null
  onClose(): void
  onChanged(): void
}

export function ItemDialog(props: Props) {
  const [deed, choose] = useState<'show' | 'change' | 'delete'>(props.item === null ? 'change' : 'show')
  if (deed === 'delete') return <DeleteItem {...props} />
  if (deed === 'change') return <ChangeItem {...props} />
  return (
    <Dialog title={cellText(props.item![props.table.index_field])} onClose={props.onClose} onSend={props.onClose}>
      <dl class="pairs">
        {props.table.fields.map(({ name }) => (
          <>
            <dt key={`${name} name`}>{name}</dt>
            <dd key={name} dir="auto">
              {cellText(props.item![name]) || <span class="soft">null</span>}
            </dd>
          </>
        ))}
      </dl>
      {(mayDo('consume') || mayDo('admin')) && <ItemTags id={String(props.item![props.table.index_field])} />}
      <div class="actions end">
        {mayDo('admin') && (
          <button type="button" class="button danger" onClick={() => choose('delete')}>
            Delete…
          </button>
        )}
        {mayDo('ingest') && (
          <button type="button" class="button" onClick={() => choose('change')}>
            Change…
          </button>
        )}
        <button type="submit" class="button first">
          Close
        </button>
      </div>
    </Dialog>
  )
}

function blank({ fields }: MetadataDescription): MetadataItem {
  return Object.fromEntries(fields.map(({ name, type }) => [name, type === 'string' ? '' : null]))
}

/** Pushes a whole item: the newest push of an identifier replaces earlier ones. */
function ChangeItem({ table, item, onClose, onChanged }: Props) {
  const [text, setText] = useState(textWithLongs(item ?? blank(table), 2))
  const push = async (signal: AbortSignal): Promise<void> => {
    const client = clientOf(signal)
    const outcome = await pushAgain({
      pusher: client,
      lists: client,
      side: sideOf(),
      alias: table.entity,
      text,
      signal,
    })
    if (outcome !== null) throw new Error(`It was rejected: ${outcome}`)
    notify('The item is stored.')
    onChanged()
  }
  return (
    <AskFirst title={item === null ? 'New item' : 'Change the item'} deed="Push it" onClose={onClose} onDeed={push}>
      <TextArea label="The item, as it is pushed" value={text} onValue={setText} rows={9} />
    </AskFirst>
  )
}

function DeleteItem({ table, item, onClose, onChanged }: Props) {
  const id = cellText(item![table.index_field])
  return (
    <AskFirst
      title="Delete the item"
      deed="Delete it"
      danger
      onClose={onClose}
      onDeed={async (signal) => {
        await clientOf(signal).deleteItem(table.entity, String(item![table.index_field]))
        notify('The item is deleted.')
        onChanged()
      }}
    >
      <p>
        <bdi>{id}</bdi> is hidden from readers until it is pushed again.
      </p>
    </AskFirst>
  )
}
