import { useState } from 'preact/hooks'
import { AskFirst } from '../../parts/dialog.tsx'
import { Check, TextField } from '../../parts/inputs.tsx'
import { clientOf } from '../../session/session.ts'
import { linkTo } from '../../shell/link.ts'
import { goTo } from '../../shell/route.ts'
import { notify } from '../../shell/toasts.tsx'
import type { ShownIngest } from './side.ts'

interface Props {
  readonly ingest: ShownIngest
  onClose(): void
  onChanged(): void
}

export function StateChange({ ingest: { alias, state }, onClose, onChanged }: Props) {
  const [reason, setReason] = useState('')
  const blocks = state === 'active'
  const change = async (signal: AbortSignal): Promise<void> => {
    await clientOf(signal).changeIngest(alias, blocks ? { state: 'blocked', reason } : { state: 'active' })
    notify(blocks ? `${alias} is blocked.` : `${alias} accepts pushes again.`)
    onChanged()
  }
  return (
    <AskFirst
      title={blocks ? `Block ${alias}` : `Unblock ${alias}`}
      deed={blocks ? 'Block' : 'Unblock'}
      danger={blocks}
      onClose={onClose}
      onDeed={change}
    >
      {blocks ? (
        <>
          <p>Pushes are refused from now on. Stored rows can still be read.</p>
          <TextField label="Reason, shown to callers who push" value={reason} onValue={setReason} />
        </>
      ) : (
        <p>Pushes are accepted from now on.</p>
      )}
    </AskFirst>
  )
}

export function DeleteIngest({ ingest: { alias, kind, entity }, onClose }: Omit<Props, 'onChanged'>) {
  const [drop, setDrop] = useState(false)
  const [typed, setTyped] = useState('')
  const leave = async (signal: AbortSignal): Promise<void> => {
    await clientOf(signal).deleteIngest(alias, drop ? 'drop' : 'keep')
    notify(`The ingest ${alias} is deleted.`)
    goTo(linkTo(['ingests']))
  }
  const held = kind === 'series' ? `the entity ${entity ?? alias}` : `the items of ${alias}`
  return (
    <AskFirst
      title={`Delete ${alias}`}
      deed={drop ? 'Delete it and all its data' : 'Delete it, keep its data'}
      danger
      ready={!drop || typed === alias}
      onClose={onClose}
      onDeed={leave}
    >
      <p>Pushes to it then get the answer 404. Stored rows stay, unless you choose to delete them here.</p>
      <p>Its rejected rows are deleted for good: repair or save them first.</p>
      <Check label={`Delete ${held} too, for good`} checked={drop} onChecked={setDrop} />
      {drop && <TextField label={`Type ${alias} to be sure`} value={typed} onValue={setTyped} mono />}
    </AskFirst>
  )
}
